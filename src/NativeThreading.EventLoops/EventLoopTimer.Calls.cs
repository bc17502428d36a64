using System.Runtime.CompilerServices;
using NativeThreading.EventLoops.Turns;

namespace NativeThreading.EventLoops;

// Calls of the callback in a loop that hands over: a call starts only after the last one has returned.
public sealed partial class EventLoopTimer
{
    private bool _isCalled; // only the driver accesses it and the next fields
    private volatile bool _missed; // other threads read it
    private bool _owesSuccessor;
    private Action? _awaitingReturn;

    /// <summary>In the loop's code: the timer fires. <see langword="false"/>: its last call has not returned, and this one follows it.</summary>
    private bool BeginCall()
    {
        Chaos.Point("EventLoopTimer.BeginCall");
        if (_isCalled)
        {
            _missed = true;
            return false;
        }

        return _isCalled = true;
    }

    private bool CallAs(LoopDriver driver)
    {
        driver.BeginCall(this);
        Call();
        return driver.EndCall();
    }

    /// <summary>Calls the callback, unless a request was made meanwhile.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private void Call()
    {
        if (_context is not null)
        {
            ExecutionContext.Restore(_context); // runs foreign code, so before the check
        }

        Chaos.Point("EventLoopTimer.Call");
        if (_requests.IsPending)
        {
            ApplyInPlace();
            return;
        }

        _isFiring = true;
        _callback(_state);
        _isFiring = false;
    }

    /// <summary>A request was made meanwhile. It replaces the setting with which the timer fired (T139).</summary>
    private void ApplyInPlace()
    {
        using var hold = new LoopHold(_loop);
        if (hold.IsInLoop)
        {
            _requests.Apply(this); // otherwise its post will follow
        }
    }

    /// <summary>In the loop's code: the call has returned.</summary>
    internal void CallEnded()
    {
        _isCalled = false;
        (Action? awaiting, _awaitingReturn) = (_awaitingReturn, null);
        awaiting?.Invoke();
    }

    /// <summary>Posted: the call has returned on a former driver. Fires if the timer was due meanwhile.</summary>
    internal void CallReturned()
    {
        Chaos.Point("EventLoopTimer.CallReturned");
        bool fires;
        using (var hold = new LoopHold(_loop))
        {
            if (!hold.IsInLoop && _loop.IsOnThread)
            {
                _loop.PostContinuation(static timer => ((EventLoopTimer)timer!).CallReturned(), this);
                return; // another thread took the loop over at this moment
            }

            CallEnded();
            fires = _missed && hold.IsInLoop;
            _missed = false;
            _isCalled = fires;
        }

        if (fires)
        {
            LoopDriver.Current!.Target = this;
            Call();
        }
        else if (_owesSuccessor)
        {
            BeginSuccessor(); // a token has stopped the loop
        }
    }

    /// <summary>Calls the function when the timer's callback does not run. In the loop, or after its end.</summary>
    internal void WhenNotCalled(Action action)
    {
        if (_isCalled)
        {
            _awaitingReturn += action;
        }
        else
        {
            action();
        }
    }

    /// <summary>Posts the request that was made.</summary>
    internal void PostRequest() => _loop.PostContinuation(static timer => ((EventLoopTimer)timer!).RequestArrives(), this);

    private void ReleaseNative()
    {
        using var hold = new LoopHold(_loop);
        if (hold.IsInLoop)
        {
            _native.Release();
        }
        else if (_loop.IsOnThread)
        {
            _loop.PostContinuation(static timer => ((EventLoopTimer)timer!).ReleaseNative(), this);
        }
    }

    /// <summary>A timer of the runtime follows: after the call that has not returned.</summary>
    private void BeginSuccessor()
    {
        _owesSuccessor = _isCalled;
        if (!_isCalled)
        {
            _successor.Begin(NewLate(), _native.Deadline, _native.Period);
        }
    }
}
