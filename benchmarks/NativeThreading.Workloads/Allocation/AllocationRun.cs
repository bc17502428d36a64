using System.Diagnostics;

namespace NativeThreading.Workloads.Allocation;

/// <summary>One run: bytes that the whole process allocated while items were queued and run, per item.</summary>
internal static class AllocationRun
{
    private const int Items = 50_000;

    // Few enough at a time that no queue has to grow.
    private const int Batch = 25;

    private static readonly TimeSpan Deadline = TimeSpan.FromSeconds(30);
    private static readonly AsyncLocal<object?> s_local = new();

    public static Sample FromWorker<TPool>(string form, bool asyncLocal)
        where TPool : struct, IPool
    {
        Action<Item> queue = QueueingForms<TPool>.Get(form);
        var item = new ChainItem(queue, Items);
        return Measure(asyncLocal, form, () =>
        {
            queue(item);
            return item.Done.Wait(Deadline);
        });
    }

    public static Sample FromOutside<TPool>(string form, bool asyncLocal)
        where TPool : struct, IPool
    {
        Action<Item> queue = QueueingForms<TPool>.Get(form);
        var item = new CountingItem();
        return Measure(asyncLocal, form, () =>
        {
            for (int queued = 0; queued < Items;)
            {
                for (int i = 0; i < Batch; i++, queued++)
                {
                    queue(item);
                }

                if (!WaitFor(item, queued))
                {
                    return false;
                }
            }

            return true;
        });
    }

    private static Sample Measure(bool asyncLocal, string form, Func<bool> run)
    {
        s_local.Value = asyncLocal ? s_local : null;
        long before = GC.GetTotalAllocatedBytes(precise: true);
        Meter meter = Meter.Start();
        bool ended = run();
        Reading reading = meter.Stop();
        long allocated = GC.GetTotalAllocatedBytes(precise: true) - before;
        s_local.Value = null;
        return ended
            ? reading.Per(Items, (double)allocated / Items)
            : throw new MeasurementException($"{form}: items were not run within {Deadline.TotalSeconds} s.");
    }

    private static bool WaitFor(CountingItem item, int count)
    {
        // Yields without allocating, unlike a wait that creates its lock.
        long start = Stopwatch.GetTimestamp();
        SpinWait spinner = default;
        while (item.Executed < count)
        {
            spinner.SpinOnce(sleep1Threshold: -1);
            if (Stopwatch.GetElapsedTime(start) > Deadline)
            {
                return false;
            }
        }

        return item.Executed == count;
    }
}
