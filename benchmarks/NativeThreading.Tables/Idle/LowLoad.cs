using System.Collections.Concurrent;
using NativeThreading.Tables.Harness;
using NativeThreading.Tables.Pools;

namespace NativeThreading.Tables.Idle;

/// <summary>Serial items at a fixed interval: how many distinct workers ran them. Each one more is a cold cache.</summary>
internal static class LowLoad
{
    public const string Name = "low-load/threads";

    private const int PerSecond = 1_000;

    public static Sample Run<TPool>(TimeSpan time)
        where TPool : struct, IPool
    {
        // The first items start threads and compile code; an item that comes meanwhile rightly gets another thread.
        int warmedUp = 0;
        SteadyProducer.Run(100, TimeSpan.FromMilliseconds(5), () => TPool.UnsafeQueue(_ => Interlocked.Increment(ref warmedUp), null));
        Thread.Sleep(TimeSpan.FromMilliseconds(250));

        var workers = new ConcurrentDictionary<int, int>();
        int items = (int)(time.TotalSeconds * PerSecond);
        int ran = 0;
        Meter meter = Meter.Start();
        SteadyProducer.Run(items, TimeSpan.FromSeconds(1) / PerSecond, () => TPool.UnsafeQueue(
            _ =>
            {
                workers.AddOrUpdate(Environment.CurrentManagedThreadId, 1, static (_, count) => count + 1);
                Interlocked.Increment(ref ran);
            },
            null));
        Reading reading = meter.Stop();
        if (!SpinWait.SpinUntil(() => Volatile.Read(ref ran) == items, TimeSpan.FromSeconds(30)))
        {
            throw new MeasurementException($"low-load: {ran} of {items} items ran.");
        }

        return reading.Per(items, workers.Count);
    }
}
