using NativeThreading.Workloads;

namespace NativeThreading.Tables.PoolTimers;

/// <summary>The same work with timers of a <see cref="TimeProvider"/>, or, without one, of the framework.</summary>
internal sealed class TimerRuns(TimeProvider? provider)
{
    private static readonly TimerCallback s_nothing = static _ => { };
    private static readonly TimeSpan s_deadline = TimeSpan.FromSeconds(60);

    private IDisposable[] _pending = [];

    /// <summary>Nanoseconds of a timer of half a minute that is created and disposed, while that many others are pending.</summary>
    public Sample ArmAndCancel(int pending, int threads, int operations)
    {
        KeepPending(pending);
        var workers = new Thread[threads - 1];
        int each = operations / threads;
        Meter meter = Meter.Start();
        for (int i = 0; i < workers.Length; i++)
        {
            workers[i] = new Thread(() => Run(each));
            workers[i].Start();
        }

        Run(each);
        Array.ForEach(workers, static worker => worker.Join());
        return meter.Stop().NanosecondsPer(operations);

        void Run(int count)
        {
            for (int i = 0; i < count; i++)
            {
                Create(30_000 + (i & 1023)).Dispose();
            }
        }
    }

    /// <summary>Nanoseconds of a new due time for one of that many pending timers: a timeout that starts anew.</summary>
    public Sample Change(int pending, int operations)
    {
        KeepPending(pending);
        Meter meter = Meter.Start();
        for (int i = 0; i < operations; i++)
        {
            int due = 30_000 + (i & 1023);
            IDisposable timer = _pending[i % pending];
            if (timer is ITimer own)
            {
                own.Change(TimeSpan.FromMilliseconds(due), Timeout.InfiniteTimeSpan);
            }
        }

        return meter.Stop().NanosecondsPer(operations);
    }

    /// <summary>Nanoseconds of each of many timers that are created and stay.</summary>
    public Sample ArmAll(int count)
    {
        KeepPending(0);
        var timers = new IDisposable[count];
        Meter meter = Meter.Start();
        Fill(timers);
        Sample sample = meter.Stop().NanosecondsPer(count);
        Array.ForEach(timers, static timer => timer.Dispose());
        return sample;
    }

    /// <summary>Nanoseconds of each disposal of many pending timers.</summary>
    public Sample CancelAll(int count, bool shuffled)
    {
        KeepPending(0);
        var timers = new IDisposable[count];
        Fill(timers);
        if (shuffled)
        {
            new Random(1).Shuffle(timers);
        }

        Meter meter = Meter.Start();
        Array.ForEach(timers, static timer => timer.Dispose());
        return meter.Stop().NanosecondsPer(count);
    }

    /// <summary>Nanoseconds of each of many timers that are due at once, until all have called back.</summary>
    public Sample Fire(int count)
    {
        KeepPending(0);
        using var left = new CountdownEvent(count);
        var timers = new IDisposable[count];
        TimerCallback signal = _ => left.Signal();
        Meter meter = Meter.Start();
        for (int i = 0; i < count; i++)
        {
            timers[i] = Create(1, signal);
        }

        bool fired = left.Wait(s_deadline);
        Sample sample = meter.Stop().NanosecondsPer(count);
        Array.ForEach(timers, static timer => timer.Dispose());
        return fired ? sample : throw new MeasurementException($"{left.CurrentCount} of {count} timers have not called back.");
    }

    /// <summary>Bytes that each pending timer adds to the heap, without the array that holds them here.</summary>
    public Sample BytesOfEach(int count)
    {
        KeepPending(0);
        var timers = new IDisposable[count];
        long before = GC.GetTotalMemory(forceFullCollection: true);
        Fill(timers);
        long bytes = GC.GetTotalMemory(forceFullCollection: true) - before;
        Array.ForEach(timers, static timer => timer.Dispose());
        return new Sample((double)bytes / count, null, null);
    }

    private void Fill(IDisposable[] timers)
    {
        for (int i = 0; i < timers.Length; i++)
        {
            timers[i] = Create(600_000 + (i * 7919L % 1_000_003 % 60_000));
        }
    }

    private void KeepPending(int count)
    {
        if (_pending.Length != count)
        {
            Array.ForEach(_pending, static timer => timer.Dispose());
            _pending = new IDisposable[count];
            Fill(_pending);
        }
    }

    private IDisposable Create(long due, TimerCallback? callback = null) => provider is null
        ? new Timer(callback ?? s_nothing, null, due, Timeout.Infinite)
        : provider.CreateTimer(callback ?? s_nothing, null, TimeSpan.FromMilliseconds(due), Timeout.InfiniteTimeSpan);
}
