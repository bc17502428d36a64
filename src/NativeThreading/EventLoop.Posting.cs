using System.Runtime.CompilerServices;
using NativeThreading.EventLoops;
using NativeThreading.Interop;
using NativeThreading.Queues;
using NativeThreading.Workers;

namespace NativeThreading;

/// <summary>Callbacks on their way to the loop, and waking it for them.</summary>
public sealed partial class EventLoop
{
    /// <summary>
    /// 1: the loop will look at the posted callbacks before it sleeps, so nobody need wake it. Cleared by the loop before
    /// its last look, set by the one poster that wakes it.
    /// </summary>
    private PaddedIndex _attentive = new() { Value = 1 };

    /// <summary>Queues a callback, in order with the caller's others; the execution context flows to it. Allocates nothing.</summary>
    /// <param name="callback">Called once, on the loop's thread.</param>
    /// <param name="state">Passed to it.</param>
    /// <exception cref="ArgumentNullException"><paramref name="callback"/> is null.</exception>
    /// <exception cref="ObjectDisposedException">The loop is shutting down, and the caller is not on its thread.</exception>
    public void Post(Action<object?> callback, object? state)
    {
        ArgumentNullException.ThrowIfNull(callback);
        BeforeEntry();
        Enqueue(callback, state, DefaultContext.Flowing());
    }

    /// <summary>As <see cref="Post"/>, without the execution context.</summary>
    /// <param name="callback">Called once, on the loop's thread.</param>
    /// <param name="state">Passed to it.</param>
    /// <inheritdoc cref="Post" path="/exception"/>
    public void UnsafePost(Action<object?> callback, object? state)
    {
        ArgumentNullException.ThrowIfNull(callback);
        BeforeEntry();
        Enqueue(callback, state, context: null);
    }

    /// <summary>Queues what work that was accepted needs in order to go on: never refused.</summary>
    internal void PostContinuation(Action<object?> callback, object? state) => Enqueue(callback, state, Continuation.Mark);

    /// <summary>
    /// Writes the loop's wake descriptor even where the loop needs no telling; for the benchmark that is defined by it.
    /// </summary>
    internal void WakeThroughKernel()
    {
        _ = NativeMethods.nth_event_loop_wake(_native.Pointer, EventLoopHandle.WakeThroughKernel);
        GC.KeepAlive(this);
    }

    /// <summary>
    /// Publishes a callback and sees to it that the loop looks. No wake is lost: the lane's fence stands between the
    /// publication and the read of the flag, and the loop's between clearing the flag and its last look. So either the loop
    /// finds the callback, or this thread finds the flag clear and wakes (T2, T71).
    /// </summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal void Enqueue(Action<object?> callback, object? state, object? context)
    {
        _posted.Enqueue(callback, state, context);
        if (Volatile.Read(ref _attentive.Value) == 0)
        {
            Wake();
        }

        // The fence of the lane again: pairs with the one in Stop, which drains after it has set the state.
        if (IsStopped)
        {
            AbandonPosted();
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private void Wake()
    {
        if (Interlocked.Exchange(ref _attentive.Value, 1) == 0)
        {
            // -ESHUTDOWN: the loop has closed, and the caller looks at the state next.
            _ = NativeMethods.nth_event_loop_wake(_native.Pointer, 0);
            GC.KeepAlive(this);
        }
    }

    /// <summary>The loop's last look before it sleeps: whether there is nothing to do but to sleep.</summary>
    private bool TryBecomeInattentive()
    {
        Volatile.Write(ref _attentive.Value, 0);
        Interlocked.MemoryBarrier(); // pairs with the one in ExternalLane.Enqueue
        if (_posted.IsEmpty)
        {
            return true;
        }

        Volatile.Write(ref _attentive.Value, 1);
        return false;
    }

    /// <summary>Refuses other threads from the beginning of the shutdown on.</summary>
    internal void BeforeEntry()
    {
        if (Volatile.Read(ref _state) != State.Running && !IsInLoop)
        {
            throw new ObjectDisposedException(ToString(), "The event loop is shutting down and accepts no more work.");
        }
    }
}
