using System.Diagnostics;
using NativeThreading.Workloads.Blocked;

namespace NativeThreading.Workloads.Cohost;

/// <summary>Keeps a pool busy with CPU-bound items that queue themselves again, and asks now and then how long an item from outside waits.</summary>
internal sealed class BusyPool(IPool pool)
{
    /// <summary>About 20 us of computing. A fixed amount, not a fixed time: an interrupted item is not worth more.</summary>
    private const int Steps = 20_000;

    private static readonly TimeSpan ProbeInterval = TimeSpan.FromMilliseconds(5);

    [ThreadStatic]
    private static ulong t_sink;

    private readonly List<double> _waits = [];
    private long _items;
    private volatile bool _stop;

    /// <summary>Items that have ended.</summary>
    public long Items => Volatile.Read(ref _items);

    /// <summary>The 99th percentile of the waits of probes, in milliseconds.</summary>
    public double Latency
    {
        get
        {
            lock (_waits)
            {
                double[] sorted = [.. _waits.Order()];
                return sorted.Length == 0 ? double.NaN : sorted[(int)(sorted.Length * 0.99)];
            }
        }
    }

    /// <summary>Begins to work.</summary>
    public void Start()
    {
        for (int i = 0; i < 4 * Environment.ProcessorCount; i++)
        {
            pool.UnsafeQueue(Work);
        }

        new Thread(Probe) { IsBackground = true }.Start();
    }

    /// <summary>Queues no more; what runs ends by itself.</summary>
    public void Stop() => _stop = true;

    /// <summary>Forgets what was before.</summary>
    public void Reset()
    {
        Interlocked.Exchange(ref _items, 0);
        lock (_waits)
        {
            _waits.Clear();
        }
    }

    private void Work()
    {
        ulong x = (ulong)Environment.CurrentManagedThreadId;
        for (int i = 0; i < Steps; i++)
        {
            x = (x * 6364136223846793005) + 1442695040888963407;
        }

        t_sink = x;
        Interlocked.Increment(ref _items);
        if (!_stop)
        {
            pool.UnsafeQueue(Work);
        }
    }

    private void Probe()
    {
        while (!_stop)
        {
            long queued = Stopwatch.GetTimestamp();
            pool.UnsafeQueue(() =>
            {
                lock (_waits)
                {
                    _waits.Add(Stopwatch.GetElapsedTime(queued).TotalMilliseconds);
                }
            });
            Thread.Sleep(ProbeInterval);
        }
    }
}
