namespace NativeThreading.Workloads.Xtask;

/// <summary>One run of a row with one producer: so many times queue the items, then wait for all of them.</summary>
internal static class XtaskRun
{
    public static Sample OneByOne<TGroup>(TGroup group, ItemWork work, int iterations, int items)
        where TGroup : struct, IItemGroup =>
        Measure(group, work, iterations, items, static (group, items) =>
        {
            for (int i = 0; i < items; i++)
            {
                group.Queue(i);
            }
        });

    public static Sample AllAtOnce<TGroup>(TGroup group, ItemWork work, int iterations, int items)
        where TGroup : struct, IItemGroup =>
        Measure(group, work, iterations, items, static (group, _) => group.QueueAll());

    private static Sample Measure<TGroup>(TGroup group, ItemWork work, int iterations, int items, Action<TGroup, int> queue)
        where TGroup : struct, IItemGroup
    {
        int before = (iterations / 10) + 1;
        Repeat(group, before, items, queue);
        Meter meter = Meter.Start();
        Repeat(group, iterations, items, queue);
        Reading reading = meter.Stop();
        Check(group, work, (long)(before + iterations) * items);
        return reading.MicrosecondsPer(iterations);
    }

    private static void Repeat<TGroup>(TGroup group, int iterations, int items, Action<TGroup, int> queue)
        where TGroup : struct, IItemGroup
    {
        for (int i = 0; i < iterations; i++)
        {
            group.Begin(items);
            queue(group, items);
            Await(group);
        }
    }

    public static void Await<TGroup>(TGroup group)
        where TGroup : struct, IItemGroup
    {
        if (!group.Wait())
        {
            throw new MeasurementException($"{typeof(TGroup)}: the items did not end within {ItemWork.Deadline.TotalSeconds} s.");
        }
    }

    public static void Check<TGroup>(TGroup group, ItemWork work, long expected)
        where TGroup : struct, IItemGroup
    {
        if (group.Executed != expected || (work.Increments && work.Count != expected))
        {
            throw new MeasurementException(
                $"{typeof(TGroup)}: {group.Executed:N0} items were executed, {work.Count:N0} counted, instead of {expected:N0} (T122).");
        }
    }
}
