using System.Runtime.CompilerServices;
using NativeThreading.Waiting;

namespace NativeThreading;

/// <summary>
/// Requests of other threads to a timer. There is one at a time, and a later one replaces it. So only the timer itself is
/// posted to the loop, and at most once at a time.
/// </summary>
public sealed partial class EventLoopTimer
{
    private readonly UninterruptedLock _requestLock = new();
    private RequestKind _requested; // this and the next two: under the lock
    private long _requestedDeadline;
    private long _requestedPeriod;
    private bool _isOnItsWay;
    private Action? _released;

    /// <summary>
    /// Set with the request. The loop reads it before it fires: the callback does not run for a deadline that was replaced.
    /// </summary>
    private volatile bool _hasRequest;
    private volatile bool _isDisposed; // set under the lock, so no request to arm comes after it

    private enum RequestKind
    {
        None,
        Arm,
        Cancel,
        Dispose,
    }

    private bool RequestsToArm
    {
        get
        {
            using (_requestLock.EnterScope())
            {
                return _requested == RequestKind.None ? _isArmed : _requested == RequestKind.Arm;
            }
        }
    }

    /// <summary>Disposes, and calls back when the timer's callback no longer runs.</summary>
    private void Dispose(Action released)
    {
        if (!_loop.IsInLoop)
        {
            using (_requestLock.EnterScope())
            {
                _released += released;
            }

            Dispose();
            return;
        }

        Dispose();
        if (_isFiring)
        {
            _loop.PostContinuation(static released => ((Action)released!)(), released);
        }
        else
        {
            released();
        }
    }

    /// <summary>Makes a request to the loop. <see langword="false"/>: the timer is disposed.</summary>
    private bool Request(RequestKind kind, long deadline, long period)
    {
        bool isAwaited;
        using (_requestLock.EnterScope())
        {
            if (_isDisposed && kind != RequestKind.Dispose)
            {
                return false;
            }

            if (kind == RequestKind.Dispose)
            {
                _isDisposed = true;
            }

            _requested = kind;
            _requestedDeadline = deadline;
            _requestedPeriod = period;
            Chaos.Point("EventLoopTimer.Request");
            _hasRequest = true;
            if (_isOnItsWay)
            {
                return true;
            }

            _isOnItsWay = true;
            isAwaited = _released is not null;
        }

        Chaos.Point("EventLoopTimer.Request, left");
        if (_loop.IsStopped && !isAwaited)
        {
            Arrive(); // the loop has stopped, so the request is settled at once
        }
        else
        {
            // Also if a token stopped the loop: the post then runs behind the callback that still runs.
            _loop.PostContinuation(static timer => ((EventLoopTimer)timer!).Arrive(), this);
        }

        return true;
    }

    /// <summary>On the loop's thread; or on any thread, if the loop has stopped.</summary>
    private void Arrive()
    {
        using (_requestLock.EnterScope())
        {
            _isOnItsWay = false;
        }

        Chaos.Point("EventLoopTimer.Arrive");
        ApplyRequest();
    }

    private void ApplyRequest()
    {
        Action? released = null;
        using (_requestLock.EnterScope())
        {
            RequestKind kind = _requested;
            try
            {
                if (_loop.IsInLoop)
                {
                    Apply(kind);
                }
                else
                {
                    ApplyAfterStop(kind);
                }
            }
            finally
            {
                _requested = RequestKind.None;
                _hasRequest = false; // last: until then IsArmed takes the lock, so it sees either the request or its effect
            }

            if (kind == RequestKind.Dispose)
            {
                (released, _released) = (_released, null);
            }
        }

        released?.Invoke();
    }

    private void Apply(RequestKind kind)
    {
        switch (kind)
        {
            case RequestKind.Arm:
                ArmHere(_requestedDeadline, _requestedPeriod);
                break;
            case RequestKind.Cancel:
                DisarmHere();
                break;
            case RequestKind.Dispose:
                Release();
                break;
        }
    }

    /// <summary>A call on the loop's own thread replaces earlier requests of other threads.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private void DropRequest()
    {
        if (_hasRequest)
        {
            DropRequestLate();
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private void DropRequestLate()
    {
        using (_requestLock.EnterScope())
        {
            DropRequestLocked();
        }
    }

    private void DropRequestLocked()
    {
        if (_requested != RequestKind.Dispose) // a disposer may wait for Dispose
        {
            _requested = RequestKind.None;
            _hasRequest = false;
        }
    }
}
