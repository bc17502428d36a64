using NativeThreading.EventLoops;

namespace NativeThreading;

/// <summary>From one loop to another. The old loop leaves, and posts the registration to the new one, which watches. In between no call runs
/// and none can begin, for the gate says that the registration moves. Model: native/models/registration_move.pml.</summary>
public sealed partial class EventLoopRegistration
{
    private RegistrationMove? _move; // written behind the gate's bit, and forgotten before that is taken back

    /// <summary>Has another loop watch the descriptor. Handler, state, interest and execution context go along, and this object stays the one
    /// to use. From any thread, the handler included.</summary>
    /// <param name="loop">Where the handler is called from now on.</param>
    /// <returns>Completes when the new loop watches; the handler may have been called there by then. Where the move fails, the registration is
    /// disposed.</returns>
    /// <remarks>
    /// <para>From the call on the old loop begins no call of the handler. A call that it has begun, perhaps the caller's own, goes on, may
    /// read until it ends, and is followed by the move. The new loop tells of all that is ready when it begins to watch, edge-triggered or
    /// not. The handle is held throughout, and any thread may write meanwhile.</para>
    /// <para>A registration that is disposed of on its way, or whose old loop stops before it has left, ends like any other, and the task
    /// fails.</para>
    /// </remarks>
    /// <exception cref="ArgumentNullException"><paramref name="loop"/> is null.</exception>
    /// <exception cref="InvalidOperationException">Thrown at once: a move has not ended. By the task: the descriptor is registered with the new
    /// loop already or was closed in spite of its handle, or the system refuses to watch more; the message carries errno.</exception>
    /// <exception cref="ObjectDisposedException">Thrown at once: the registration is disposed. By the task: the new loop has stopped; or the
    /// registration was disposed on its way, perhaps by the stop of the old loop.</exception>
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
        Volatile.Write(ref _move, move); // an end of a call that has seen the gate's bit only may find none: the post below comes behind it
        bool mayBeCalledElsewhere = !Loop.IsOnThread;
        PostLeaving();
        if (mayBeCalledElsewhere)
        {
            _gate.GiveWay();
        }

        return move.Task;
    }

    private void PostLeaving() => Loop.PostContinuation(static registration => ((EventLoopRegistration)registration!).Leave(), this);

    /// <summary>Posted to the old loop by whoever begins the move, and by a call that ends meanwhile: one of the two finds that none runs.</summary>
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
                    PostLeaving(); // the loop was taken over at this very moment
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
            _missed = false; // what was missed is told by the new loop
            _isMuted = false;
        }

        PostArrival(move.Target);
    }

    private void PostArrival(EventLoop loop) =>
        loop.PostContinuation(static registration => ((EventLoopRegistration)registration!).Arrive(), this);

    /// <summary>Posted to the new loop. Nobody else has the registration: it is on no loop, and no call runs or begins.</summary>
    private void Arrive()
    {
        RegistrationMove move = Volatile.Read(ref _move)!;
        Exception? failure;
        using (var hold = new LoopHold(move.Target))
        {
            if (!hold.IsInLoop && move.Target.IsOnThread)
            {
                PostArrival(move.Target); // the loop was taken over at this very moment
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

    /// <summary>In the new loop. Why it does not watch; or <see langword="null"/>.</summary>
    private Exception? Settle(EventLoop loop)
    {
        var seat = new RegistrationSeat(loop);

        // Before the gate and the interest are read. What another thread posts for its change of either reads the seat behind that change
        // (RemoveForAnother, ModifyForAnother): so this thread sees the change, or that post comes here.
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
