using NativeThreading.EventLoops;

namespace NativeThreading;

/// <summary>Moves a registration from one loop to another. The old loop stops watching and posts the registration to the new loop, which starts
/// watching. In between no call of the handler runs and none can start, because the gate is marked as moving. Model:
/// native/models/registration_move.pml.</summary>
public sealed partial class EventLoopRegistration
{
    private RegistrationMove? _move; // written after the gate's bit is set, and cleared before the bit is reset

    /// <summary>Moves the registration to another loop, which then watches the descriptor. Handler, state, interest and execution context stay
    /// the same, and so does this object. May be called from any thread, including the handler.</summary>
    /// <param name="loop">The loop that calls the handler from now on.</param>
    /// <returns>A task that completes when the new loop watches the descriptor; the handler may already have been called there. If the move fails,
    /// the registration is disposed.</returns>
    /// <remarks>
    /// <para>From this call on, the old loop does not call the handler again. A call that is already running, perhaps the caller's own, continues
    /// and may read until it returns; the move follows it. When the new loop starts to watch, it reports everything that is ready, also to an
    /// edge-triggered registration. The handle stays open throughout, and any thread may write meanwhile.</para>
    /// <para>If the registration is disposed during the move, or its old loop stops before the registration has left it, the registration ends
    /// as usual, and the task fails.</para>
    /// </remarks>
    /// <exception cref="ArgumentNullException"><paramref name="loop"/> is null.</exception>
    /// <exception cref="InvalidOperationException">Thrown by the call if an earlier move has not completed. Thrown by the task if the new loop
    /// already has a registration of the descriptor, if the descriptor was closed in spite of its handle, or if the system cannot watch more
    /// descriptors; the message contains errno.</exception>
    /// <exception cref="ObjectDisposedException">Thrown by the call if the registration is disposed. Thrown by the task if the new loop has
    /// stopped, or if the registration was disposed during the move, perhaps by the stop of the old loop.</exception>
    public Task MoveToAsync(EventLoop loop)
    {
        ArgumentNullException.ThrowIfNull(loop);
        if (!_gate.IsMoving && ReferenceEquals(Loop, loop))
        {
            ObjectDisposedException.ThrowIf(_gate.IsClosed, this);
            return Task.CompletedTask;
        }

        if (!_gate.TryBeginMove())
        {
            ObjectDisposedException.ThrowIf(_gate.IsClosed, this);
            throw new InvalidOperationException("The registration is already moving to another loop. Await that move first.");
        }

        Chaos.Point("EventLoopRegistration.MoveToAsync, begun");
        var move = new RegistrationMove(loop);
        Volatile.Write(ref _move, move); // a call that ends and has seen only the gate's bit may find no move; the post below comes after it
        bool mayBeCalledElsewhere = !Loop.IsOnThread;
        PostLeaving();
        if (mayBeCalledElsewhere)
        {
            _gate.GiveWay();
        }

        return move.Task;
    }

    private void PostLeaving() => Loop.PostContinuation(static registration => ((EventLoopRegistration)registration!).Leave(), this);

    /// <summary>Posted to the old loop by the thread that starts the move, and by a call that returns meanwhile. One of the two finds that no call is
    /// running.</summary>
    private void Leave()
    {
        RegistrationSeat seat = Volatile.Read(ref _seat);
        RegistrationMove? move;
        using (var hold = new LoopHold(seat.Loop))
        {
            if (Volatile.Read(ref _isRemoved))
            {
                FailMove(); // removed before the move was written down
                return;
            }

            if (!hold.IsInLoop)
            {
                if (seat.Loop.IsOnThread)
                {
                    PostLeaving(); // another thread took the loop over at this moment
                }

                return;
            }

            move = Volatile.Read(ref _move);
            Chaos.Point("EventLoopRegistration.Leave");
            if (move is null || seat.HasLeft || _gate.IsCalling)
            {
                return;
            }

            seat.Leave();
            _missed = false; // the new loop reports the events that were missed
            _isMuted = false;
        }

        PostArrival(move.Target);
    }

    private void PostArrival(EventLoop loop) =>
        loop.PostContinuation(static registration => ((EventLoopRegistration)registration!).Arrive(), this);

    /// <summary>Posted to the new loop. No other thread uses the registration: it is on no loop, and no call runs or starts.</summary>
    private void Arrive()
    {
        RegistrationMove move = Volatile.Read(ref _move)!;
        Exception? failure;
        using (var hold = new LoopHold(move.Target))
        {
            if (!hold.IsInLoop && move.Target.IsOnThread)
            {
                PostArrival(move.Target); // another thread took the loop over at this moment
                return;
            }

            failure = hold.IsInLoop ? Settle(move.Target) : new ObjectDisposedException(move.Target.ToString(), "The event loop has stopped.");
            Volatile.Write(ref _move, null); // before it counts as removed: Leave may have been posted twice, and would fail the move as well
            Chaos.Point("EventLoopRegistration.Arrive");
            if (failure is not null)
            {
                _gate.Close();
                Volatile.Write(ref _isRemoved, true);
                LetGo();
            }

            _gate.EndMove();
        }

        if (failure is null)
        {
            move.SetResult();
        }
        else
        {
            move.SetException(failure);
        }
    }

    /// <summary>Called in the new loop. Returns the reason why it cannot watch the descriptor, or <see langword="null"/>.</summary>
    private Exception? Settle(EventLoop loop)
    {
        var seat = new RegistrationSeat(loop);

        // Before the gate and the interest are read. A thread that changes one of them posts a callback that reads the seat after the change
        // (RemoveForAnother, ModifyForAnother). So either this thread sees the change, or that callback comes to this loop.
        Interlocked.Exchange(ref _seat, seat);
        Chaos.Point("EventLoopRegistration.Settle, seated");
        if (_gate.IsClosed)
        {
            return new ObjectDisposedException(GetType().FullName, "The registration was disposed before it moved.");
        }

        try
        {
            long result = seat.Take(this, _descriptor);
            return result < 0 ? WhyNotWatched(loop, (int)result) : null;
        }
        catch (OutOfMemoryException exception)
        {
            return exception;
        }
    }

    private void FailMove() => Interlocked.Exchange(ref _move, null)?.Fail();
}
