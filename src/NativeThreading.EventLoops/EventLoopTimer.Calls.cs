using System.Runtime.CompilerServices;
using NativeThreading.EventLoops.Turns;

namespace NativeThreading.EventLoops;

// Calls of the callback in a loop that hands over: none begins before the last one has returned.
public sealed partial class EventLoopTimer
{
    private bool _isCalled; // like the next ones, by the driver
    private volatile bool _missed; // others read it
    private bool _owesSuccessor;
    private Action? _awaitingReturn;

    /// <summary>In the loop's code: the timer fires. <see langword="false"/>: its last call has not returned, and this one comes behind it.</summary>
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

    /// <summary>Calls back, unless a request has come meanwhile.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private void Call()
    {
        if (_context is not null)
        {
            ExecutionContext.Restore(_context); // runs foreign code, so before the look
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

    /// <summary>A request has come meanwhile, and replaces what the loop did as the timer fired (T139).</summary>
    private void ApplyInPlace()
    {
        using var hold = new LoopHold(_loop);
        if (hold.IsInLoop)
        {
            _requests.Apply(this); // else its post will come
        }
    }

    /// <summary>In the loop's code: the call has ended.</summary>
    internal void CallEnded()
    {
        _isCalled = false;
        (Action? awaiting, _awaitingReturn) = (_awaitingReturn, null);
        awaiting?.Invoke();
    }

    /// <summary>Posted: the call has ended on a former driver. Tells what it missed.</summary>
    internal void CallReturned()
    {
        Chaos.Point("EventLoopTimer.CallReturned");
        bool fires;
        using (var hold = new LoopHold(_loop))
        {
            if (!hold.IsInLoop && _loop.IsOnThread)
            {
                _loop.PostContinuation(static timer => ((EventLoopTimer)timer!).CallReturned(), this);
                return; // the loop was taken over at this very moment
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

    /// <summary>Calls back when the timer's callback does not run. In the loop, or after its end.</summary>
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
