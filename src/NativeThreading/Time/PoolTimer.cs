using System.Runtime.CompilerServices;
using NativeThreading.Platform;
using NativeThreading.Queues;

namespace NativeThreading.Time;

/// <summary>The time of the system, with timers whose callbacks run on a pool.</summary>
internal sealed class PoolTimeProvider(NativeThreadPool pool) : TimeProvider
{
    public override ITimer CreateTimer(TimerCallback callback, object? state, TimeSpan dueTime, TimeSpan period)
    {
        ArgumentNullException.ThrowIfNull(callback);
        var timer = new PoolTimer(pool, callback, state);
        timer.Slot.ChooseFirst(PoolTimers.HereNumber);
        timer.Change(dueTime, period);
        return timer;
    }
}

/// <summary>A timer whose callback is an item of a pool. It is never rejected, because an async method may wait for it.</summary>
/// <remarks>At most one callback of a timer waits in the queue. If the previous one still waits, it serves the new tick, too. After a change or a
/// disposal, a waiting callback does not run: <see cref="Waits"/> is set and cleared under the lock of the timer's heap.</remarks>
internal sealed class PoolTimer(NativeThreadPool pool, TimerCallback callback, object? state) : ITimed, ITimer, IItemSubject
{
    private const int Waits = 1 << 30; // a callback waits in the pool's queue
    private const int Disposed = 1 << 29;
    private const int Running = Disposed - 1; // the number of running callbacks

    private static readonly Action<object?> s_call = static timer => Unsafe.As<PoolTimer>(timer!).Call();

    private readonly ExecutionContext? _context = DefaultContext.Flowing();
    private TaskCompletionSource? _ended; // of the running callbacks, if a thread waits for that
    private TimerSlot _slot;
    private int _calls;

    public ref TimerSlot Slot => ref _slot;

    private bool IsDisposed => (Volatile.Read(ref _calls) & Disposed) != 0;

    /// <inheritdoc/>
    Delegate IItemSubject.Subject => callback;

    /// <inheritdoc/>
    bool IItemSubject.BeginsWork => false;

    /// <summary>As <see cref="Timer.Change(TimeSpan, TimeSpan)"/>: the same ranges, but the due time is not rounded to milliseconds.</summary>
    public bool Change(TimeSpan dueTime, TimeSpan period)
    {
        long due = TimerRange.Milliseconds(nameof(dueTime), dueTime);
        long every = TimerRange.Milliseconds(nameof(period), period);
        if (IsDisposed)
        {
            return false;
        }

        if (due < 0)
        {
            PoolTimers.Disarm(this);
            return true;
        }

        PoolTimers.ArmAt(this, MonotonicClock.After(PoolTimers.Nanoseconds(dueTime)), (uint)Math.Max(every, 0));
        Chaos.Point("PoolTimer.Change, armed");
        if (IsDisposed)
        {
            PoolTimers.Disarm(this); // the timer was disposed meanwhile, and the disposal found it not armed
            return false;
        }

        return true;
    }

    public void Dispose()
    {
        Interlocked.Or(ref _calls, Disposed);
        Chaos.Point("PoolTimer.Dispose, marked");
        PoolTimers.Disarm(this);
    }

    /// <summary>Completes when no callback runs any more. A callback of the timer must not wait for it.</summary>
    public ValueTask DisposeAsync()
    {
        Dispose();
        if ((Volatile.Read(ref _calls) & Running) == 0)
        {
            return default;
        }

        var ended = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        ended = Interlocked.CompareExchange(ref _ended, ended, null) ?? ended;
        Chaos.Point("PoolTimer.DisposeAsync, waits");
        if ((Volatile.Read(ref _calls) & Running) == 0)
        {
            Completion.Set(ended);
        }

        return new ValueTask(ended.Task);
    }

    /// <inheritdoc/>
    bool ITimed.BecomeDue() => (Interlocked.Or(ref _calls, Waits) & (Waits | Disposed)) == 0;

    /// <summary>Makes a callback that waits in the queue do nothing when it runs.</summary>
    void ITimed.Changing()
    {
        if ((Volatile.Read(ref _calls) & Waits) != 0)
        {
            Interlocked.And(ref _calls, ~Waits);
        }
    }

    /// <inheritdoc/>
    void ITimed.Fire() => pool.EnqueueResumption(s_call, this, null, preferLocal: false);

    private void Call()
    {
        if (!TryBegin())
        {
            return;
        }

        try
        {
            if (_context is not null)
            {
                ThreadCulture.Restore(_context);
            }

            callback(state);
        }
        finally
        {
            int left = Interlocked.Decrement(ref _calls);
            if ((left & Running) == 0 && Volatile.Read(ref _ended) is { } ended)
            {
                Completion.Set(ended);
            }
        }
    }

    /// <summary>Takes the waiting callback, and counts it as running, unless the timer was changed or disposed meanwhile.</summary>
    private bool TryBegin()
    {
        int calls = Volatile.Read(ref _calls);
        while ((calls & (Waits | Disposed)) == Waits)
        {
            int seen = Interlocked.CompareExchange(ref _calls, (calls & ~Waits) + 1, calls);
            if (seen == calls)
            {
                return true;
            }

            calls = seen;
        }

        return false;
    }
}

/// <summary>The ranges of timers, which are those of <see cref="Timer"/>.</summary>
internal static class TimerRange
{
    private const long MostMilliseconds = uint.MaxValue - 1;

    /// <summary>The whole milliseconds of a time: 0 to 4,294,967,294, or -1 for never.</summary>
    public static long Milliseconds(string name, TimeSpan time)
    {
        long milliseconds = time.Ticks / TimeSpan.TicksPerMillisecond;
        return milliseconds is >= -1 and <= MostMilliseconds
            ? milliseconds
            : throw OptionRange.Error(name, time, $"between 0 and {MostMilliseconds} ms, or Timeout.InfiniteTimeSpan");
    }

    /// <summary>0 to 4,294,967,294 ms.</summary>
    public static void ThrowUnlessDelay(string name, TimeSpan delay)
    {
        if (delay < TimeSpan.Zero || (long)delay.TotalMilliseconds > MostMilliseconds)
        {
            throw OptionRange.Error(name, delay, $"between 0 and {MostMilliseconds} ms");
        }
    }

    /// <summary>1 to 4,294,967,294 ms.</summary>
    public static void ThrowUnlessPeriod(string name, TimeSpan period)
    {
        if ((long)period.TotalMilliseconds is < 1 or > MostMilliseconds)
        {
            throw OptionRange.Error(name, period, $"between 1 and {MostMilliseconds} ms");
        }
    }
}
