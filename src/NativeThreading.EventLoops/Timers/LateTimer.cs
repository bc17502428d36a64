using NativeThreading.Platform;

namespace NativeThreading.EventLoops.Timers;

/// <summary>A timer of a loop that accepts no more timers, or that ended before the timer was due. It cannot be rejected: users of a TimeProvider do
/// not expect CreateTimer to throw, and an await of a delay would never end. (The finalizer of a PeriodicTimer
/// whose constructor threw even ends the process.) So a timer of the runtime runs instead, and the callback is queued as a continuation: on the loop
/// while it drains, otherwise one at a time on the built-in pool, where it is counted.</summary>
internal sealed class LateTimer : ITimer
{
    private static readonly ContextCallback s_call = static timer => ((LateTimer)timer!).Call();

    private const long NanosecondsPerMillisecond = 1_000_000;

    /// <summary>The clock of the runtime's timers advances in steps: of 4 ms on most kernels, of up to 16. The start of a timer may be read too early
    /// by one step, so the timer may fire too early by one step.</summary>
    private const long RuntimeTick = 16 * NanosecondsPerMillisecond;

    private readonly EventLoop _loop;
    private readonly Action<object?> _callback;
    private readonly object? _state;
    private readonly ExecutionContext? _context;
    private readonly ITimer _timer;
    private volatile bool _isDisposed;

    public LateTimer(EventLoop loop, Action<object?> callback, object? state, ExecutionContext? context)
    {
        _loop = loop;
        _callback = callback;
        _state = state;
        _context = context;
        _timer = TimeProvider.System.CreateTimer(
            static timer => ((LateTimer)timer!).Post(), this, Timeout.InfiniteTimeSpan, Timeout.InfiniteTimeSpan);
    }

    /// <summary>Arms it as it was armed on the loop.</summary>
    /// <param name="deadline">By the loop's clock.</param>
    /// <param name="period">In nanoseconds; 0 to fire once.</param>
    public void Arm(long deadline, long period)
    {
        long left = deadline - MonotonicClock.Now;
        _timer.Change(
            left <= 0 ? TimeSpan.Zero : WholeMilliseconds(left + RuntimeTick),
            period == 0 ? Timeout.InfiniteTimeSpan : WholeMilliseconds(period));
    }

    public bool Change(TimeSpan dueTime, TimeSpan period) => _timer.Change(dueTime, period) && !_isDisposed;

    public void Dispose()
    {
        _isDisposed = true;
        _timer.Dispose();
    }

    public async ValueTask DisposeAsync()
    {
        _isDisposed = true;
        await _timer.DisposeAsync().ConfigureAwait(false);

        // Callbacks run in order: when this one runs, the earlier callbacks have completed.
        await _loop.WhenPostsHaveRun().ConfigureAwait(false);
    }

    private void Post() => _loop.PostContinuation(static timer => ((LateTimer)timer!).Run(), this);

    private void Run()
    {
        if (_context is null)
        {
            Call();
        }
        else
        {
            ExecutionContext.Run(_context, s_call, this);
        }
    }

    private void Call()
    {
        if (!_isDisposed)
        {
            _callback(_state);
        }
    }

    /// <summary>Rounded up to milliseconds, the unit of the runtime's timers.</summary>
    private static TimeSpan WholeMilliseconds(long nanoseconds) => TimeSpan.FromMilliseconds(
        Math.Min((nanoseconds + NanosecondsPerMillisecond - 1) / NanosecondsPerMillisecond, uint.MaxValue - 1L));
}

/// <summary>The successor of a timer of a loop's <see cref="EventLoop.TimeProvider"/> that was armed when the loop stopped. It is a timer of the
/// runtime, because async methods may wait for it. Embedded in the timer.</summary>
internal struct TimerSuccessor
{
    /// <summary>In place of a timer of the runtime: the timer was cancelled or disposed after the stop.</summary>
    private static readonly object s_none = new();

    private object? _timer;

    /// <summary>The timer was armed when its loop had run its last callback. A request since the stop replaces that.</summary>
    public void Begin(LateTimer late, long deadline, long period)
    {
        if (Interlocked.CompareExchange(ref _timer, late, null) is null)
        {
            late.Arm(deadline, period);
        }
        else
        {
            late.Dispose();
        }
    }

    /// <summary>A request that has not reached the loop; <see langword="null"/>: no more timer.</summary>
    public void ReplaceLocked(LateTimer? late, long deadline, long period)
    {
        (Interlocked.Exchange(ref _timer, late ?? s_none) as LateTimer)?.Dispose();
        late?.Arm(deadline, period);
    }
}
