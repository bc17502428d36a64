using System.Runtime.CompilerServices;
using NativeThreading.EventLoops.Turns;
using NativeThreading.Platform;

namespace NativeThreading.EventLoops.Timers;

internal enum TimerRequestKind
{
    None,
    Arm,
    Cancel,
    Dispose,
}

/// <summary>One wish; deadline and period are for <see cref="TimerRequestKind.Arm"/>.</summary>
internal readonly record struct TimerRequest(TimerRequestKind Kind, long Deadline = 0, long Period = 0);

/// <summary>Requests of other threads to a timer. There is one at a time, and a later one replaces it. So only the timer itself is
/// posted to the loop, and at most once at a time. Embedded in the timer.</summary>
internal struct TimerRequests()
{
    private readonly UninterruptedLock _lock = new();
    private TimerRequest _request; // like the next two, under the lock
    private bool _isOnItsWay;
    private Action? _released;
    private volatile bool _isPending;
    private volatile bool _isDisposed; // set under the lock, so no request to arm comes after it

    /// <summary>Whether there is a request. Asked before the timer fires: it does not fire for a deadline that was replaced.</summary>
    public readonly bool IsPending => _isPending;

    public readonly bool IsDisposed => _isDisposed;

    /// <summary>Whether the timer will be armed when its request has been applied.</summary>
    public readonly bool WillBeArmed(in NativeTimer native)
    {
        using var held = _lock.EnterScope();
        return _request.Kind == TimerRequestKind.None ? native.IsArmed : _request.Kind == TimerRequestKind.Arm;
    }

    /// <summary>Makes a request to the loop. <see langword="false"/>: the timer is disposed.</summary>
    public bool TryMake(EventLoopTimer timer, TimerRequest request)
    {
        bool isAwaited;
        using (_lock.EnterScope())
        {
            if (_isDisposed && request.Kind != TimerRequestKind.Dispose)
            {
                return false;
            }

            _isDisposed |= request.Kind == TimerRequestKind.Dispose;
            _request = request;
            Chaos.Point("TimerRequests.TryMake");
            _isPending = true;
            if (_isOnItsWay)
            {
                return true;
            }

            _isOnItsWay = true;
            isAwaited = _released is not null;
        }

        Chaos.Point("TimerRequests.TryMake, left");
        if (timer.Loop.IsStopped && !isAwaited)
        {
            Arrive(timer); // the loop has stopped, so the request is settled at once
        }
        else
        {
            // Also if a token stopped the loop: the post then runs after the callback that still runs.
            timer.PostRequest();
        }

        return true;
    }

    /// <summary>On the loop's thread; or on any thread, if the loop has stopped.</summary>
    public void Arrive(EventLoopTimer timer)
    {
        using var hold = new LoopHold(timer.Loop);
        if (!hold.IsInLoop && timer.Loop.IsOnThread)
        {
            timer.PostRequest(); // the loop was taken over at this very moment
            return;
        }

        using (_lock.EnterScope())
        {
            _isOnItsWay = false;
        }

        Chaos.Point("TimerRequests.Arrive");
        Apply(timer);
    }

    /// <summary>Has the timer do what is requested, and tells those who wait for its disposal.</summary>
    public void Apply(EventLoopTimer timer)
    {
        Action? released = null;
        using (_lock.EnterScope())
        {
            TimerRequest request = _request;
            try
            {
                timer.ApplyLocked(request);
            }
            finally
            {
                _request = default;
                _isPending = false; // last: until then IsArmed takes the lock, so it sees either the request or its effect
            }

            if (request.Kind == TimerRequestKind.Dispose)
            {
                (released, _released) = (_released, null);
            }
        }

        if (released is not null)
        {
            timer.WhenNotCalled(released);
        }
    }

    /// <summary>A call on the loop's own thread replaces earlier requests of other threads.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Drop(bool disposes = false)
    {
        if (_isPending || disposes)
        {
            DropPending(disposes);
        }
    }

    /// <summary>Calls back when a request to dispose has been applied, which is still to be made.</summary>
    public void Await(Action released)
    {
        using var held = _lock.EnterScope();
        _released += released;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private void DropPending(bool disposes)
    {
        using var held = _lock.EnterScope();
        _isDisposed |= disposes;
        if (_request.Kind != TimerRequestKind.Dispose) // a disposer may wait for Dispose
        {
            _request = default;
            _isPending = false;
        }
    }
}
