using NativeThreading.EventLoops.Turns;
using NativeThreading.Platform;

namespace NativeThreading.EventLoops;

// Calls of the handler in a loop that hands over: a call starts only after the last one has returned.
public sealed partial class EventLoopRegistration
{
    private bool _missed; // accessed by the driver only, as is the next field
    private bool _isMuted;
    private int _hasLeftHandle;

    /// <summary>Whether the caller is in a call of this handler, though the loop may have been taken over.</summary>
    private bool IsCalledHere => Loop is { HandOver: not null, IsOnThread: true } && LoopDriver.Current!.Runs(this);

    /// <summary>Called by the driver when the descriptor is ready. <see langword="false"/>: another thread drives the loop now.</summary>
    internal bool TellAs(LoopDriver driver, EventLoopReadiness ready)
    {
        if (!BeginCall())
        {
            return true;
        }

        driver.BeginCall(this);
        Tell(ready);
        return driver.EndCall();
    }

    /// <summary>Returns <see langword="false"/> if the last call has not returned; this event is reported after it.</summary>
    private bool BeginCall()
    {
        Chaos.Point("EventLoopRegistration.BeginCall");
        if (!_gate.IsCalling)
        {
            return true;
        }

        _missed = true;
        if (!_isMuted && !_isRemoved && (Interest & EventLoopInterest.EdgeTriggered) == 0)
        {
            // Otherwise the kernel would report the descriptor at each poll.
            _isMuted = true;
            _ = Loop.Native.Modify(_native, (uint)(Interest | EventLoopInterest.EdgeTriggered));
        }

        return false;
    }

    /// <summary>Posted when the call has returned on a former driver. The kernel then reports again what is ready.</summary>
    internal void CallReturned()
    {
        Chaos.Point("EventLoopRegistration.CallReturned");
        using (var hold = new LoopHold(Loop))
        {
            if (!hold.IsInLoop)
            {
                if (Loop.IsOnThread)
                {
                    Loop.PostContinuation(static registration => ((EventLoopRegistration)registration!).CallReturned(), this);
                }

                return;
            }

            if (!_missed || _gate.IsCalling)
            {
                return; // the running call posts this method when it returns
            }

            _missed = false;
            if (Modify() >= 0)
            {
                return;
            }
        }

        TellOfError();
    }

    /// <summary>Posted by another thread. An exception here would end the loop's turn, although the loop did nothing wrong.</summary>
    private void ModifyForAnother()
    {
        using (var hold = new LoopHold(Loop))
        {
            if (_gate.IsClosed)
            {
                return; // disposed meanwhile, or the loop has stopped
            }

            if (!hold.IsInLoop)
            {
                PostModification(); // another thread took the loop over at this moment
                return;
            }

            if (Modify() >= 0 || (Loop.HandOver is not null && !BeginCall()))
            {
                return;
            }
        }

        TellOfError();
    }

    private void TellOfError()
    {
        if (Loop.HandOver is not null)
        {
            LoopDriver.Current!.Target = this;
        }

        Tell(EventLoopReadiness.Error);
    }

    /// <summary>The registration no longer relies on the handle.</summary>
    private void ReleaseHandle()
    {
        if (Interlocked.Exchange(ref _hasLeftHandle, 1) == 0)
        {
            LeaveHandle();
        }
    }

    /// <summary>Called by handler exit, last use of the handle and first waiter; the last of them completes the promise.</summary>
    /// <remarks>Each of the three makes its own change by an interlocked operation before it reads the changes of the others. So the last one sees
    /// all of them. Most registrations are disposed without a waiter: they create no promise and complete none.</remarks>
    private void CompleteRelease()
    {
        if (Volatile.Read(ref _isReleased) != 0 && !_gate.IsCalling)
        {
            Chaos.Point("EventLoopRegistration.CompleteRelease, ended");
            if (Volatile.Read(ref _released) is { } released)
            {
                Completion.Set(released);
            }
        }
    }

    /// <summary>Completes when neither the handler nor a write is running or will start. Called after a disposal.</summary>
    private Task WhenReleased()
    {
        TaskCompletionSource? released = Volatile.Read(ref _released);
        if (released is null)
        {
            var promise = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
            Chaos.Point("EventLoopRegistration.WhenReleased");
            released = Interlocked.CompareExchange(ref _released, promise, null) ?? promise; // pairs with LeaveHandle and HandlerGate.End
            Chaos.Point("EventLoopRegistration.WhenReleased, promised");
            CompleteRelease();
        }

        return released.Task;
    }
}
