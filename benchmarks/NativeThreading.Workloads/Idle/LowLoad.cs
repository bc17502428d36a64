using System.Collections.Concurrent;
using System.Diagnostics;

namespace NativeThreading.Workloads.Idle;

/// <summary>Serial items at a fixed interval: how many distinct workers ran them. Each one more is a cold cache. An item is queued when the one
/// before has ended: where the system takes the CPU from a worker for longer than an interval, the next is late.</summary>
internal static class LowLoad
{
    public const string Name = "low-load/threads";

    private const int PerSecond = 1_000;
    private const int WarmUpItems = 100;
    private static readonly TimeSpan TieringPause = TimeSpan.FromMilliseconds(250);

    public static Sample Run<TPool>(TimeSpan time)
        where TPool : struct, IPool
    {
        var workers = new ConcurrentDictionary<int, int>();
        int ran = 0, queued = 0;
        WaitCallback item = _ =>
        {
            workers.AddOrUpdate(Environment.CurrentManagedThreadId, 1, static (_, count) => count + 1);
            Interlocked.Increment(ref ran);
        };

        // The first items start threads and compile this very code, which takes longer than an interval; an item that comes
        // meanwhile rightly gets another thread.
        void Produce()
        {
            Await(ref ran, queued);
            queued++;
            default(TPool).UnsafeQueue(item, null);
        }

        SteadyProducer.Run(WarmUpItems, TimeSpan.FromMilliseconds(5), Produce);
        Await(ref ran, queued);
        Thread.Sleep(TieringPause);
        workers.Clear();

        int items = (int)(time.TotalSeconds * PerSecond);
        Meter meter = Meter.Start();
        SteadyProducer.Run(items, TimeSpan.FromSeconds(1) / PerSecond, Produce);
        Await(ref ran, queued);
        Reading reading = meter.Stop();
        return reading.Per(items, workers.Count);
    }

    private static void Await(ref readonly int ran, int items)
    {
        long began = Stopwatch.GetTimestamp();
        while (Volatile.Read(in ran) != items)
        {
            if (Stopwatch.GetElapsedTime(began) > TimeSpan.FromSeconds(30))
            {
                throw new MeasurementException($"low-load: {ran} of {items} items ran.");
            }

            Thread.Yield();
        }
    }
}
