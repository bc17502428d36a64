namespace NativeThreading;

/// <summary>
/// What other threads want of a timer. One request at a time, which a later one replaces, so that the timer itself is the
/// only object that ever has to travel, and at most once at a time.
/// </summary>
public sealed partial class EventLoopTimer
{
    private readonly Lock _requestLock = new();
    private RequestKind _requested; // this and the two below: under the lock
    private long _requestedDeadline;
    private long _requestedPeriod;
    private bool _isOnItsWay;
    private Action? _released;

    /// <summary>Set with the request, and read by the loop before it fires: the callback does not run for what was replaced.</summary>
    private volatile bool _hasRequest;
    private volatile bool _isDisposed;

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
            lock (_requestLock)
            {
                return _requested == RequestKind.Arm;
            }
        }
    }

    /// <summary>Disposes, and calls back when the timer's callback does not run any more.</summary>
    internal void Dispose(Action released)
    {
        if (_loop.IsInLoop)
        {
            Dispose();
            released();
            return;
        }

        lock (_requestLock)
        {
            _released += released;
        }

        Dispose();
    }

    /// <summary>Leaves word for the loop. <see langword="false"/>: the timer is disposed.</summary>
    private bool Request(RequestKind kind, long deadline, long period)
    {
        lock (_requestLock)
        {
            if (_isDisposed && kind != RequestKind.Dispose)
            {
                return false;
            }

            _isDisposed |= kind == RequestKind.Dispose;
            _requested = kind;
            _requestedDeadline = deadline;
            _requestedPeriod = period;
            _hasRequest = true;
            if (_isOnItsWay)
            {
                return true;
            }

            _isOnItsWay = true;
        }

        if (_loop.IsStopped)
        {
            Arrive(); // there is nothing left that it could be about
        }
        else
        {
            _loop.PostContinuation(static timer => ((EventLoopTimer)timer!).Arrive(), this);
        }

        return true;
    }

    /// <summary>On the loop's thread; or, where the loop has stopped, on the way to nowhere.</summary>
    private void Arrive()
    {
        lock (_requestLock)
        {
            _isOnItsWay = false;
        }

        ApplyRequest();
    }

    private void ApplyRequest()
    {
        RequestKind kind;
        long deadline;
        long period;
        Action? released = null;
        lock (_requestLock)
        {
            (kind, deadline, period) = (_requested, _requestedDeadline, _requestedPeriod);
            _requested = RequestKind.None;
            _hasRequest = false;
            if (kind == RequestKind.Dispose)
            {
                (released, _released) = (_released, null);
            }
        }

        if (!_loop.IsInLoop)
        {
            released?.Invoke(); // the loop has stopped, and its timers with it
            return;
        }

        switch (kind)
        {
            case RequestKind.Arm:
                ArmHere(deadline, period);
                break;
            case RequestKind.Cancel:
                DisarmHere();
                break;
            case RequestKind.Dispose:
                Release();
                released?.Invoke();
                break;
        }
    }

    /// <summary>What the loop's own thread says replaces what others said before.</summary>
    private void DropRequest()
    {
        if (_hasRequest)
        {
            lock (_requestLock)
            {
                _hasRequest &= _requested == RequestKind.Dispose;
                _requested = _hasRequest ? RequestKind.Dispose : RequestKind.None;
            }
        }
    }
}
