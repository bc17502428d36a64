using System.Runtime.InteropServices;
using NativeThreading.EventLoops;
using NativeThreading.Interop;
using NativeThreading.Workers;

namespace NativeThreading;

/// <summary>A descriptor that an <see cref="EventLoop"/> watches. Obtained from <see cref="EventLoop.Register"/>.</summary>
/// <remarks>All members may be called from any thread, but those that read, write and accept: they are for the loop's.</remarks>
public sealed partial class EventLoopRegistration : IDisposable, IAsyncDisposable
{
    private readonly Action<EventLoopReadiness, object?> _handler;
    private readonly object? _state;
    private readonly ExecutionContext? _context;
    private readonly int _descriptor;
    private readonly int _target;
    private readonly long _handle;
    private readonly LoopRelease _release = new();
    private int _interest;
    private int _isDisposed;

    /// <summary>On the loop's thread.</summary>
    internal EventLoopRegistration(
        EventLoop loop, SafeHandle handle, EventLoopInterest interest, Action<EventLoopReadiness, object?> handler, object? state)
    {
        Loop = loop;
        Handle = handle;
        _handler = handler;
        _state = state;
        _context = DefaultContext.Flowing();
        _interest = (int)interest;
        if (handle.IsInvalid && !handle.IsClosed) // a closed socket's handle says that it is both
        {
            throw new ArgumentException("The handle is invalid.", nameof(handle));
        }

        bool isHeld = false;
        handle.DangerousAddRef(ref isHeld);
        _descriptor = NumberOf(handle);
        _target = loop.Targets.Add(this);
        _handle = NativeMethods.nth_event_loop_add(loop.Native, _descriptor, (uint)interest, (ulong)_target);
        if (_handle < 0)
        {
            loop.Targets.Remove(_target);
            handle.DangerousRelease();
            throw WhyNotAdded((int)_handle, nameof(handle));
        }
    }

    /// <summary>The loop that watches.</summary>
    public EventLoop Loop { get; }

    /// <summary>The watched handle.</summary>
    public SafeHandle Handle { get; }

    /// <summary>
    /// What the handler is told: from now on nothing that is not asked for any more, and what is newly asked for as soon as
    /// the loop comes to it. Set to what it was, an edge-triggered registration is told once more of what is ready already.
    /// </summary>
    /// <remarks>Where the descriptor was closed in spite of its handle, other threads cannot be told: the handler is, of
    /// <see cref="EventLoopReadiness.Error"/>.</remarks>
    /// <exception cref="ArgumentOutOfRangeException">The value has unknown flags.</exception>
    /// <exception cref="InvalidOperationException">On the loop's thread: the descriptor was closed in spite of its handle.</exception>
    /// <exception cref="ObjectDisposedException">The registration is disposed.</exception>
    public EventLoopInterest Interest
    {
        get => (EventLoopInterest)Volatile.Read(ref _interest);
        set
        {
            EventLoop.CheckInterest(value);
            ObjectDisposedException.ThrowIf(Volatile.Read(ref _isDisposed) != 0, this);
            Volatile.Write(ref _interest, (int)value);
            if (Loop.IsInLoop)
            {
                NativeCore.Check(Modify(), nameof(NativeMethods.nth_event_loop_modify));
            }
            else
            {
                Loop.PostContinuation(static registration => ((EventLoopRegistration)registration!).ModifyForAnother(), this);
            }
        }
    }

    /// <summary>
    /// Ends the watch and lets the handle go: on the loop's thread at once, on another one soon. Harmless when repeated.
    /// </summary>
    public void Dispose()
    {
        if (Interlocked.Exchange(ref _isDisposed, 1) != 0)
        {
            return;
        }

        if (Loop.IsInLoop)
        {
            Remove();
        }
        else
        {
            Loop.PostContinuation(static registration => ((EventLoopRegistration)registration!).Remove(), this);
        }
    }

    /// <summary><see cref="Dispose"/>; completes when the handler runs no more and the handle has been let go.</summary>
    public ValueTask DisposeAsync()
    {
        Dispose();
        return _release.WaitAsync();
    }

    /// <summary>On the loop's thread: calls the handler, with what it wants to know at this moment.</summary>
    internal void Tell(EventLoopReadiness ready)
    {
        ready &= Wanted(Interest);
        if (ready == EventLoopReadiness.None || Volatile.Read(ref _isDisposed) != 0)
        {
            return; // another thread has said so, and the system's knowing it is on its way
        }

        if (_context is not null)
        {
            ExecutionContext.Restore(_context);
        }

        _handler(ready, _state);
    }

    /// <summary>The loop stops. On its thread.</summary>
    internal void RemoveAtStop()
    {
        Interlocked.Exchange(ref _isDisposed, 1);
        Remove();
    }

    private static EventLoopReadiness Wanted(EventLoopInterest interest) =>
        EventLoopReadiness.Hangup | EventLoopReadiness.Error
        | ((interest & EventLoopInterest.Read) != 0 ? EventLoopReadiness.Read | EventLoopReadiness.PeerClosed : 0)
        | ((interest & EventLoopInterest.Write) != 0 ? EventLoopReadiness.Write : 0);

    /// <summary>A handle that holds something larger names no descriptor, not the one of the same lower half.</summary>
    private static int NumberOf(SafeHandle handle) =>
        handle.DangerousGetHandle() is var number && number is >= 0 and <= int.MaxValue ? (int)number : -1;

    private int Modify() => Volatile.Read(ref _isDisposed) == 0 && !_release.HasHappened
        ? NativeMethods.nth_event_loop_modify(Loop.Native, _handle, (uint)Interest)
        : 0;

    /// <summary>An exception here would be the loop's, which is not to blame.</summary>
    private void ModifyForAnother()
    {
        if (Modify() < 0)
        {
            Tell(EventLoopReadiness.Error);
        }
    }

    private void Remove()
    {
        if (_release.HasHappened)
        {
            return; // the loop has stopped meanwhile, and removed all it had
        }

        _ = NativeMethods.nth_event_loop_remove(Loop.Native, _handle);
        Loop.Targets.Remove(_target);
        Handle.DangerousRelease();
        _release.Happened();
    }

    private Exception WhyNotAdded(int result, string handle) => -result switch
    {
        NativeCore.EBadF => new ArgumentException($"Descriptor {_descriptor} is not open (errno {-result}).", handle),
        NativeCore.EPerm => new ArgumentException(
            $"Descriptor {_descriptor} cannot be polled, as regular files cannot: they are always ready (errno {-result}).", handle),
        NativeCore.EShutdown => new ObjectDisposedException(Loop.ToString(), "The event loop has stopped."),
        NativeCore.EExist => new InvalidOperationException($"Descriptor {_descriptor} is registered with {Loop} already (errno {-result})."),
        _ => NativeCore.Error(result, nameof(NativeMethods.nth_event_loop_add)),
    };
}
