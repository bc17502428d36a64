using System.Net.Sockets;
using System.Runtime.InteropServices;
using NativeThreading.EventLoops.Descriptors;
using NativeThreading.EventLoops.Turns;
using NativeThreading.Platform;

namespace NativeThreading.EventLoops;

/// <summary>A descriptor that an <see cref="EventLoop"/> watches. <see cref="EventLoop.Register"/> returns it.</summary>
/// <remarks>Only the loop's thread may call members that read or accept. Any thread may call all other members, but only one thread at a time may
/// write.</remarks>
/// <example>
/// <code>
/// registration.Interest = EventLoopInterest.Read;
/// EventLoopIOResult result = registration.Read(buffer);
/// </code>
/// </example>
public sealed partial class EventLoopRegistration : IDisposable, IAsyncDisposable
{
    private const EventLoopInterest UrgentInterest = EventLoopInterest.Read | EventLoopInterest.EdgeTriggered;

    private readonly Action<EventLoopReadiness, object?> _handler;
    private readonly object? _state;
    private readonly ExecutionContext? _context;
    private readonly int _descriptor;
    private readonly bool _isSocket; // and nothing else, by the type of its handle
    private readonly int _target; // its index in the loop's table
    private readonly long _native; // its handle in the core
    private HandlerGate _gate;
    private HandleUses _uses = new();
    private int _isReleased; // the handle, by its last user
    private TaskCompletionSource? _released; // no handler and no write runs; created by the first waiter
    private bool _isRemoved; // written by the loop's thread, and after its end by the removing thread
    private int _interest;

    /// <summary>On the loop's thread.</summary>
    internal EventLoopRegistration(
        EventLoop loop, SafeHandle handle, EventLoopInterest interest, Action<EventLoopReadiness, object?> handler, object? state, ExecutionContext? context)
    {
        Loop = loop;
        Handle = handle;
        _handler = handler;
        _state = state;
        _context = context;
        _interest = (int)interest;
        _isSocket = handle is SafeSocketHandle;
        if (handle.IsInvalid && !handle.IsClosed) // the handle of a closed socket is both
        {
            throw new ArgumentException("The handle is invalid.", nameof(handle));
        }

        bool isHeld = false;
        handle.DangerousAddRef(ref isHeld);
        _descriptor = NumberOf(handle);
        try
        {
            _target = loop.Targets.Add(this);
        }
        catch
        {
            handle.DangerousRelease(); // out of memory: without a registration the handle must not stay open
            throw;
        }

        _native = loop.Native.Add(_descriptor, (uint)interest, (ulong)_target);
        if (_native < 0)
        {
            loop.Targets.Remove(_target);
            handle.DangerousRelease();
            throw WhyNotAdded((int)_native, nameof(handle));
        }
    }

    /// <summary>Gets the loop that watches the descriptor.</summary>
    public EventLoop Loop { get; }

    /// <summary>Gets the watched handle.</summary>
    public SafeHandle Handle { get; }

    /// <summary>Gets or sets which events are reported to the handler. After a change no call starts for a removed event, but a running call
    /// completes; added events are reported from the loop's next poll. If an edge-triggered registration
    /// is set to the same value, the loop reports its readiness once more.</summary>
    /// <remarks>If the descriptor was closed in spite of its handle, a call on another thread cannot report that. The handler is notified
    /// <see cref="EventLoopReadiness.Error"/> instead.</remarks>
    /// <exception cref="ArgumentOutOfRangeException">The value has unknown flags.</exception>
    /// <exception cref="InvalidOperationException">On the loop's thread: the descriptor was closed in spite of its handle.</exception>
    /// <exception cref="ObjectDisposedException">The registration is disposed.</exception>
    public EventLoopInterest Interest
    {
        get => (EventLoopInterest)Volatile.Read(ref _interest);
        set
        {
            EventLoop.CheckInterest(value);
            ObjectDisposedException.ThrowIf(_gate.IsClosed, this);
            Volatile.Write(ref _interest, (int)value);
            using var hold = new LoopHold(Loop);
            if (hold.IsInLoop)
            {
                NativeCore.Check(Modify(), nameof(NativeMethods.nth_event_loop_modify));
            }
            else
            {
                PostModification();
            }
        }
    }

    /// <summary>Ends the registration: from now on the loop starts no call of the handler, and no thread starts a write. On the loop's thread the
    /// handle is released when this method returns, or when the running write of another thread completes. On another thread the loop releases it
    /// soon. May be repeated.</summary>
    /// <remarks>This method waits for nothing, because the handler may be waiting for the caller. A call that the loop has started continues, even if it has
    /// not reached its first instruction yet. <see cref="DisposeAsync"/> completes after it.</remarks>
    public void Dispose() => DisposeHere();

    /// <summary>Ends the registration, and waits for its last call.</summary>
    /// <returns>A task that completes when neither the handler nor a write runs or will start, and the handle is released. If the handler itself
    /// calls this method, the task has completed already, and does not wait for writes of other threads.</returns>
    public ValueTask DisposeAsync()
    {
        bool isHere = DisposeHere();
        Chaos.Point("EventLoopRegistration.DisposeAsync, disposed");
        if (isHere && (Volatile.Read(ref _isReleased) != 0 || (Loop.HandOver is null ? _gate.IsCalling : IsCalledHere)))
        {
            return default;
        }

        // In the handler, on a former driver, a wait for the handler's return would deadlock: it waits for the posted removal alone.
        return new ValueTask(IsCalledHere ? Loop.WhenPostsHaveRun() : WhenReleased());
    }

    /// <summary>On the loop's thread: calls the handler, with those flags that the interest includes at present.</summary>
    internal void Tell(EventLoopReadiness ready)
    {
        ready &= Wanted(Interest);
        if (ready == EventLoopReadiness.None || _gate.IsClosed)
        {
            return; // another thread has narrowed the interest, and the kernel does not know yet
        }

        if (_context is not null)
        {
            ExecutionContext.Restore(_context); // runs foreign code, so before the claim
        }

        Chaos.Point("EventLoopRegistration.Tell");
        if (!_gate.TryBegin())
        {
            return;
        }

        try
        {
            _handler(ready, _state);
        }
        finally
        {
            _gate.End();
            if (Volatile.Read(ref _isRemoved))
            {
                ReleaseHandle();
                CompleteRelease(); // the handler disposed it: other threads may wait for the handler to return
            }
        }
    }

    /// <summary>The loop stops, and the registration is in its table. On its thread.</summary>
    internal void RemoveAtStop()
    {
        _gate.Close();
        Remove();
    }

    private static EventLoopReadiness Wanted(EventLoopInterest interest) =>
        EventLoopReadiness.Hangup | EventLoopReadiness.Error
        | ((interest & EventLoopInterest.Read) != 0 ? EventLoopReadiness.Read | EventLoopReadiness.PeerClosed : 0)
        | ((interest & EventLoopInterest.Write) != 0 ? EventLoopReadiness.Write : 0)
        | ((interest & UrgentInterest) == UrgentInterest ? EventLoopReadiness.Urgent : 0);

    /// <summary>A handle with a larger value names no descriptor, and not the one of its lower half.</summary>
    private static int NumberOf(SafeHandle handle) =>
        handle.DangerousGetHandle() is var number && number is >= 0 and <= int.MaxValue ? (int)number : -1;

    private int Modify()
    {
        _isMuted = false;
        return !_gate.IsClosed && !_isRemoved ? Loop.Native.Modify(_native, (uint)Interest) : 0;
    }

    private void PostModification() =>
        Loop.PostContinuation(static registration => ((EventLoopRegistration)registration!).ModifyForAnother(), this);

    /// <summary>Returns whether the caller is in the loop, which has then removed the registration. Otherwise the loop removes it later.</summary>
    private bool DisposeHere()
    {
        using var hold = new LoopHold(Loop);
        bool isFirst = _gate.Close();
        Chaos.Point("EventLoopRegistration.Dispose, closed");
        if (hold.IsInLoop)
        {
            Remove(); // also if another thread was first and its removal has not run yet
            return true;
        }

        if (isFirst)
        {
            PostRemoval();
        }

        return false;
    }

    private void PostRemoval() => Loop.PostContinuation(static registration => ((EventLoopRegistration)registration!).RemoveForAnother(), this);

    private void RemoveForAnother()
    {
        Chaos.Point("EventLoopRegistration.RemoveForAnother");
        using var hold = new LoopHold(Loop);
        if (Volatile.Read(ref _isRemoved))
        {
            return; // the loop has stopped, and has removed all registrations
        }

        if (hold.IsInLoop)
        {
            Remove();
        }
        else
        {
            PostRemoval(); // another thread took the loop over at this moment
        }
    }

    /// <summary>Called in the loop, or at its stop. The loop then reports no event of the registration, not even one that it has taken.</summary>
    private void Remove()
    {
        if (_isRemoved)
        {
            return;
        }

        Volatile.Write(ref _isRemoved, true);
        Chaos.Point("EventLoopRegistration.Remove");
        _ = Loop.Native.Remove(_native);
        Loop.Targets.Remove(_target);
        if (Loop.HandOver is not null)
        {
            Interlocked.MemoryBarrier(); // pairs with HandlerGate.End: this thread sees the end of the call, or that thread sees the removal
        }

        if (Loop.HandOver is null || !_gate.IsCalling || IsCalledHere)
        {
            ReleaseHandle(); // otherwise a former driver may be reading from the descriptor
        }

        Chaos.Point("EventLoopRegistration.Remove, let go");
    }

    private Exception WhyNotAdded(int result, string handle) => -result switch
    {
        NativeCore.EBadF => new ArgumentException($"Descriptor {_descriptor} is not open (errno {-result}).", handle),
        NativeCore.EPerm => new ArgumentException(
            $"Descriptor {_descriptor} cannot be polled (errno {-result}). Regular files, for example, are always ready.", handle),
        NativeCore.EShutdown => new ObjectDisposedException(Loop.ToString(), "The event loop has stopped."),
        NativeCore.EExist => new InvalidOperationException($"Descriptor {_descriptor} is already registered with {Loop} (errno {-result})."),
        _ => NativeCore.Error(result, nameof(NativeMethods.nth_event_loop_add)),
    };
}
