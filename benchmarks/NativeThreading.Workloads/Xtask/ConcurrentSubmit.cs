namespace NativeThreading.Workloads.Xtask;

/// <summary>Several threads queue a thousand items each, then all items are waited for.</summary>
internal static class ConcurrentSubmit
{
    public const int ItemsPerProducer = 1_000;

    /// <summary>As defined: the threads are created and joined inside what is timed (T121).</summary>
    public static Sample WithThreadCreation<TGroup>(TGroup group, ItemWork work, int iterations, int producers)
        where TGroup : struct, IItemGroup
    {
        CreateQueueJoin(group, producers);
        Meter meter = Meter.Start();
        for (int i = 0; i < iterations; i++)
        {
            CreateQueueJoin(group, producers);
        }

        Reading reading = meter.Stop();
        XtaskRun.Check(group, work, (long)(iterations + 1) * producers * ItemsPerProducer);
        return reading.MicrosecondsPer(iterations);
    }

    /// <summary>The threads exist and sleep until the next round begins.</summary>
    public static Sample Warm<TGroup>(TGroup group, ItemWork work, int iterations, int producers)
        where TGroup : struct, IItemGroup
    {
        using var rounds = new Rounds(producers, producer => QueueShare(group, producer));
        RunRound(group, rounds, producers);
        Meter meter = Meter.Start();
        for (int i = 0; i < iterations; i++)
        {
            RunRound(group, rounds, producers);
        }

        Reading reading = meter.Stop();
        XtaskRun.Check(group, work, (long)(iterations + 1) * producers * ItemsPerProducer);
        return reading.MicrosecondsPer(iterations);
    }

    private static void RunRound<TGroup>(TGroup group, Rounds rounds, int producers)
        where TGroup : struct, IItemGroup
    {
        group.Begin(producers * ItemsPerProducer);
        rounds.RunOne();
        XtaskRun.Await(group);
    }

    private static void CreateQueueJoin<TGroup>(TGroup group, int producers)
        where TGroup : struct, IItemGroup
    {
        group.Begin(producers * ItemsPerProducer);
        int arrived = 0;
        var threads = new Thread[producers];
        for (int i = 0; i < producers; i++)
        {
            int producer = i;
            threads[i] = new Thread(() =>
            {
                Interlocked.Increment(ref arrived);
                var spinner = new SpinWait();
                while (Volatile.Read(ref arrived) < producers)
                {
                    spinner.SpinOnce(sleep1Threshold: -1);
                }

                QueueShare(group, producer);
            });
            threads[i].UnsafeStart();
        }

        foreach (Thread thread in threads)
        {
            thread.Join();
        }

        XtaskRun.Await(group);
    }

    private static void QueueShare<TGroup>(TGroup group, int producer)
        where TGroup : struct, IItemGroup
    {
        for (int i = 0; i < ItemsPerProducer; i++)
        {
            group.Queue((producer * ItemsPerProducer) + i);
        }
    }
}
