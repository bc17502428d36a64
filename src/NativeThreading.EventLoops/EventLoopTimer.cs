using System.Diagnostics.CodeAnalysis;
using System.Runtime.CompilerServices;
using NativeThreading.EventLoops.Timers;
using NativeThreading.EventLoops.Turns;
using NativeThreading.Platform;

namespace NativeThreading.EventLoops;

/// <summary>A timer that fires on an <see cref="EventLoop"/>. Create it once and arm it often: arming allocates nothing, and on the
/// loop's thread makes no system call. Arming takes O(log n) in the number of armed timers.</summary>
/// <remarks>
/// <para>All members may be called from any thread. On the loop's thread calls take effect at once. On other threads a call takes effect when the loop
/// processes it; of several pending calls only the last one does. Once such a call has returned, the loop starts no callback of an earlier setting. A
/// callback that it has started continues, even if it has not reached its first instruction yet: only <see cref="DisposeAsync"/> waits
/// for it.</para>
/// <para>Timers fire in the order of their deadlines; timers with equal deadlines fire in the order in which they were armed. They never fire early by the
/// monotonic clock, which does not run while the machine is suspended. The execution context of the constructor's caller flows to the callback. The loop
/// keeps an armed timer alive. When the loop stops, its timers are disarmed.</para>
/// </remarks>
/// <example>
/// <code>
/// using var timer = new EventLoopTimer(loop, static _ =&gt; Console.WriteLine("due"), null);
/// timer.Arm(TimeSpan.FromSeconds(30));
/// </code>
/// </example>
public sealed partial class EventLoopTimer : IDisposable, IAsyncDisposable
{
    /// <summary>The longest due time and period: a hundred years.</summary>
    internal static readonly TimeSpan MaxDueTime = TimeSpan.FromDays(36_500);

    private readonly EventLoop _loop;
    private readonly Action<object?> _callback;
    private readonly object? _state;
    private readonly ExecutionContext? _context;
    private NativeTimer _native;
    private TimerRequests _requests = new();
    private TimerSuccessor _successor;
    private bool _isFiring; // stays set if the callback throws

    /// <summary>Creates a timer that is not armed.</summary>
    /// <param name="loop">The loop on which the timer fires.</param>
    /// <param name="callback">The callback. The loop's thread calls it each time the timer fires.</param>
    /// <param name="state">The argument of the callback.</param>
    /// <exception cref="ArgumentNullException"><paramref name="loop"/> or <paramref name="callback"/> is null.</exception>
    public EventLoopTimer(EventLoop loop, Action<object?> callback, object? state)
    {
        ArgumentNullException.ThrowIfNull(loop);
        ArgumentNullException.ThrowIfNull(callback);
        _loop = loop;
        _callback = callback;
        _state = state;
        _context = DefaultContext.Flowing();
        _native = new NativeTimer(loop);
    }

    /// <summary>Releases the native half of a timer that is collected. Only a timer that is not armed can be collected.</summary>
    ~EventLoopTimer()
    {
        if (_native.Exists && !_loop.IsStopped)
        {
            _loop.PostContinuation(static timer => ((EventLoopTimer)timer!).ReleaseNative(), this);
        }
    }

    /// <summary>Gets the loop on which the timer fires.</summary>
    public EventLoop Loop => _loop;

    /// <summary>Gets whether the timer is armed and will fire. On threads other than the loop's it is a snapshot.</summary>
    public bool IsArmed => !_requests.IsDisposed && (_requests.IsPending ? _requests.WillBeArmed(in _native) : _native.IsArmed || _missed);

    /// <summary>Whether the timer outlives its loop. Others are cancelled by the shutdown.</summary>
    internal bool OutlivesLoop { get; init; }

    /// <summary>Arms the timer to fire once. If it is armed already, the new setting replaces the old one.</summary>
    /// <param name="dueTime">The time until the timer fires; 0 to 100 years. With 0 it fires in the loop's next turn.</param>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="dueTime"/> is out of its range.</exception>
    /// <exception cref="ObjectDisposedException">The timer is disposed, or the loop has stopped, or it is shutting down and
    /// the caller is not on its thread.</exception>
    public void Arm(TimeSpan dueTime)
    {
        CheckRange(dueTime, 0, nameof(dueTime));
        Arm(LoopClock.After(dueTime), 0);
    }

    /// <summary>Arms the timer to fire again and again. If it is armed already, the new setting replaces the old one.</summary>
    /// <param name="dueTime">The time until the timer fires first; 0 to 100 years.</param>
    /// <param name="period">The time from one deadline to the next; 100 ns to 100 years. Each deadline is one period after the previous
    /// deadline, so delays do not add up. Deadlines that have passed meanwhile are left out.</param>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="dueTime"/> or <paramref name="period"/> is out of its
    /// range.</exception>
    /// <inheritdoc cref="Arm(TimeSpan)" path="/exception[@cref='T:System.ObjectDisposedException']"/>
    public void Arm(TimeSpan dueTime, TimeSpan period)
    {
        CheckRange(dueTime, 0, nameof(dueTime));
        CheckRange(period, 1, nameof(period));
        Arm(LoopClock.After(dueTime), period.Ticks * TimeSpan.NanosecondsPerTick);
    }

    /// <summary>Disarms the timer. Does nothing if it is not armed. Does not wait for a running callback.</summary>
    public void Cancel() => TryCancel();

    /// <summary>Disarms the timer permanently. Like <see cref="System.Threading.Timer.Dispose()"/>, it does not wait for a running
    /// callback. May be repeated.</summary>
    public void Dispose()
    {
        using var hold = new LoopHold(_loop);
        if (hold.IsInLoop)
        {
            _requests.Drop(disposes: true);
            _missed = false;
            _native.Release();
        }
        else
        {
            _requests.TryMake(this, new TimerRequest(TimerRequestKind.Dispose));
        }

        GC.SuppressFinalize(this);
    }

    /// <summary>Disarms the timer permanently, and waits for its last callback.</summary>
    /// <returns>A task that completes when the callback does not run and will not start. If the callback itself calls this, the task
    /// completes when the callback has returned.</returns>
    public ValueTask DisposeAsync()
    {
        GC.SuppressFinalize(this); // as Dispose does
        using var hold = new LoopHold(_loop);
        if (hold.IsInLoop && _loop.HandOver is null)
        {
            Dispose();
            return _isFiring ? new ValueTask(_loop.WhenPostsHaveRun()) : default;
        }

        var released = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        if (!hold.IsInLoop)
        {
            _requests.Await(released.SetResult);
        }

        Dispose();
        if (hold.IsInLoop)
        {
            WhenNotCalled(released.SetResult);
        }

        return new ValueTask(released.Task);
    }

    /// <summary>Whether the timer was not disposed.</summary>
    internal bool TryCancel()
    {
        using var hold = new LoopHold(_loop);
        if (!hold.IsInLoop)
        {
            return _requests.TryMake(this, new TimerRequest(TimerRequestKind.Cancel));
        }

        _missed = false;
        _native.Disarm();
        _requests.Drop();
        return !_requests.IsDisposed;
    }

    /// <summary>Fires, on the loop's thread: the timer's event has been taken out of the batch. <see langword="false"/>: another thread drives the
    /// loop now.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal bool Fire(LoopDriver? driver)
    {
        _native.Fired(this);
        if (driver is null)
        {
            Call();
            return true;
        }

        return !BeginCall() || CallAs(driver);
    }

    /// <summary>The loop stops, and its native half is about to be closed.</summary>
    internal void CancelAtStop()
    {
        if ((_native.CancelAtStop() | _missed) && OutlivesLoop)
        {
            BeginSuccessor();
        }
    }

    /// <summary>The posted request has come to the loop.</summary>
    internal void RequestArrives() => _requests.Arrive(this);

    /// <summary>Does what is requested: on the loop's thread, or anywhere after the loop's end.</summary>
    internal void ApplyLocked(TimerRequest request)
    {
        if (!_loop.IsInLoop)
        {
            if (OutlivesLoop && request.Kind != TimerRequestKind.None)
            {
                _successor.ReplaceLocked(request.Kind == TimerRequestKind.Arm ? NewLate() : null, request.Deadline, request.Period);
            }

            return;
        }

        _missed &= request.Kind == TimerRequestKind.None;
        switch (request.Kind)
        {
            case TimerRequestKind.Arm:
                _native.Arm(this, request.Deadline, request.Period);
                break;
            case TimerRequestKind.Cancel:
                _native.Disarm();
                break;
            case TimerRequestKind.Dispose:
                _native.Release();
                break;
        }
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static void CheckRange(TimeSpan time, long leastTicks, string name)
    {
        if (time.Ticks < leastTicks || time.Ticks > MaxDueTime.Ticks)
        {
            ThrowOutOfRange(time, leastTicks, name);
        }
    }

    [DoesNotReturn]
    private static void ThrowOutOfRange(TimeSpan time, long leastTicks, string name) =>
        throw new ArgumentOutOfRangeException(name, time, $"{name} must be between {new TimeSpan(leastTicks)} and {MaxDueTime}, but was {time}.");

    internal void Arm(long deadline, long period)
    {
        using var hold = new LoopHold(_loop);
        if (!hold.IsInLoop)
        {
            _loop.Lifecycle.BeforeEntry();
            ObjectDisposedException.ThrowIf(!_requests.TryMake(this, new TimerRequest(TimerRequestKind.Arm, deadline, period)), this);
            return;
        }

        ObjectDisposedException.ThrowIf(_requests.IsDisposed, this);
        if (_loop.IsStopped)
        {
            _loop.Lifecycle.ThrowShutDown();
        }

        _missed = false;
        _native.Arm(this, deadline, period);
        _requests.Drop();
    }

    private LateTimer NewLate() => new(_loop, _callback, _state, _context);
}
