using NativeThreading.EventLoops;
using NativeThreading.Waiting;

namespace NativeThreading;

/// <summary>Calls of the handler in a loop that hands over: none begins before the last one has returned.</summary>
public sealed partial class EventLoopRegistration
{
    private bool _missed; // like the next one, by the driver
    private bool _isMuted;
    private int _isLetGo;

    /// <summary>Whether the caller is in a call of this handler, though the loop may have been taken over.</summary>
    private bool IsCalledHere => Loop is { HandOver: not null, IsOnThread: true } && LoopDriver.Current!.Runs(this);

    /// <summary>In the loop's code: the descriptor is ready. <see langword="false"/>: the last call has not returned, and this one comes
    /// behind it.</summary>
    internal bool BeginCall()
    {
        Chaos.Point("EventLoopRegistration.BeginCall");
        if (!_gate.IsCalling)
        {
            return true;
        }

        _missed = true;
        if (!_isMuted && !_isRemoved && (Interest & EventLoopInterest.EdgeTriggered) == 0)
        {
            // Else the kernel would tell it at each poll.
            _isMuted = true;
            _ = _seat.Modify(Interest | EventLoopInterest.EdgeTriggered);
        }

        return false;
    }

    /// <summary>Posted: the call has ended on a former driver. The kernel tells again what is ready by now.</summary>
    internal void CallReturned()
    {
        Chaos.Point("EventLoopRegistration.CallReturned");
        RegistrationSeat seat = Volatile.Read(ref _seat);
        using (var hold = new LoopHold(seat.Loop))
        {
            if (!hold.IsInLoop)
            {
                if (seat.Loop.IsOnThread)
                {
                    seat.Loop.PostContinuation(static registration => ((EventLoopRegistration)registration!).CallReturned(), this);
                }

                return;
            }

            if (seat.HasLeft || !_missed || _gate.IsCalling)
            {
                return; // the call that runs says when it has ended, and a loop that it moves to tells anew
            }

            _missed = false;
            if (Modify(seat) >= 0)
            {
                return;
            }
        }

        TellOfError();
    }

    /// <summary>Posted. An exception here would end the loop's turn, although the loop is not at fault.</summary>
    private void ModifyForAnother()
    {
        RegistrationSeat seat = Volatile.Read(ref _seat);
        using (var hold = new LoopHold(seat.Loop))
        {
            if (seat.HasLeft || _gate.IsClosed)
            {
                return; // on its way: the new loop reads the interest; or the loop has stopped
            }

            if (!hold.IsInLoop)
            {
                PostModification(); // it has moved, or the loop was taken over at this very moment
                return;
            }

            if (Modify(seat) >= 0 || (Loop.HandOver is not null && !BeginCall()))
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
    private void LetGo()
    {
        if (Interlocked.Exchange(ref _isLetGo, 1) == 0)
        {
            LeaveHandle();
        }
    }

    /// <summary>By whoever comes last: the end of the handler, that of the handle's use, or the first that waits for both.</summary>
    /// <remarks>Each of the three has made its own change by an interlocked step before it reads those of the others. So the last one sees
    /// both. Most registrations are disposed and nobody waits: they need no promise, and complete none.</remarks>
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

    /// <summary>Completes when neither the handler nor a write runs or will begin. Behind a disposal.</summary>
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

    /// <summary>On a former driver, in the handler: the handler's end would never come for one that waits for it here.</summary>
    private Task AfterRemoval()
    {
        var removed = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        Loop.PostContinuation(static removed => ((TaskCompletionSource)removed!).SetResult(), removed);
        return removed.Task;
    }
}
