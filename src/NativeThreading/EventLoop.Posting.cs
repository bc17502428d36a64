using System.Diagnostics.CodeAnalysis;
using System.Runtime.CompilerServices;
using NativeThreading.Interop;
using NativeThreading.Queues;
using NativeThreading.Threads;
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
    /// <exception cref="ObjectDisposedException">The loop has stopped; or it is shutting down, and the caller is not on its
    /// thread. The callback will not run.</exception>
    /// <remarks>A callback that was accepted runs on the loop's thread, or, where the token of a shutdown is cancelled first,
    /// is dropped and counted.</remarks>
    public void Post(Action<object?> callback, object? state)
    {
        ArgumentNullException.ThrowIfNull(callback);
        BeforeEntry();
        EnterQueue(callback, state, DefaultContext.Flowing());
    }

    /// <summary>As <see cref="Post"/>, without the execution context.</summary>
    /// <param name="callback">Called once, on the loop's thread.</param>
    /// <param name="state">Passed to it.</param>
    /// <inheritdoc cref="Post" path="/exception"/>
    /// <inheritdoc cref="Post" path="/remarks"/>
    public void UnsafePost(Action<object?> callback, object? state)
    {
        ArgumentNullException.ThrowIfNull(callback);
        BeforeEntry();
        EnterQueue(callback, state, context: null);
    }

    /// <summary>Queues what work that was accepted needs in order to go on: never refused.</summary>
    internal void PostContinuation(Action<object?> callback, object? state) => Enqueue(callback, state, ContinuationContext.Instance);

    /// <summary>As <see cref="PostContinuation"/>, with a context of its own; a stop by token drops what waits.</summary>
    internal void Enqueue(Action<object?> callback, object? state, object? context)
    {
        if (!TryEnqueue(callback, state, context))
        {
            using (_stopLock.EnterScope())
            {
                // Not before what this thread has posted earlier: the lane is emptied under the lock.
                PassOn(new WorkItem { Callback = callback, State = state, Context = context });
            }
        }
    }

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
    /// <returns><see langword="false"/>: the loop has stopped. There is nothing in between: the loop seals its lane with the
    /// very word that slots are claimed by, and takes all that were claimed before (T144).</returns>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal bool TryEnqueue(Action<object?> callback, object? state, object? context)
    {
        if (!_posted.Enqueue(callback, state, context))
        {
            return false;
        }

        Chaos.Point("EventLoop.TryEnqueue, published");
        if (Volatile.Read(ref _attentive.Value) == 0)
        {
            Wake();
        }

        return true;
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private void EnterQueue(Action<object?> callback, object? state, object? context)
    {
        if (!TryEnqueue(callback, state, context))
        {
            ThrowShutDown();
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private void Wake()
    {
        Chaos.Point("EventLoop.Wake");
        if (Interlocked.Exchange(ref _attentive.Value, 1) == 0)
        {
            Chaos.Point("EventLoop.Wake, claimed");

            // -ESHUTDOWN: the loop has closed, which it does when all that was queued has been seen to.
            _ = NativeMethods.nth_event_loop_wake(_native.Pointer, 0);
            GC.KeepAlive(this);
        }
    }

    /// <summary>The loop's last look before it sleeps: whether there is nothing to do but to sleep.</summary>
    private bool TryBecomeInattentive()
    {
        Chaos.Point("EventLoop.TryBecomeInattentive");
        Volatile.Write(ref _attentive.Value, 0);
        Interlocked.MemoryBarrier(); // pairs with the one in ExternalLane.Enqueue
        Chaos.Point("EventLoop.TryBecomeInattentive, inattentive");
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
        if (_state.IsEnding && !IsInLoop)
        {
            ThrowShutDown();
        }

        Chaos.Point("EventLoop.BeforeEntry, admitted");
    }

    /// <summary>
    /// Once more, for entry that is counted and not queued, when it has been counted. Each of the two, this and the loop that
    /// drains, tells the other before it looks: so the loop finds it counted, or it finds the loop draining.
    /// </summary>
    private void ThrowIfEntryIsOver()
    {
        Chaos.Point("EventLoop.ThrowIfEntryIsOver");
        if (IsInLoop ? IsStopped : _state.IsEnding)
        {
            ThrowShutDown();
        }
    }

    [DoesNotReturn]
    internal void ThrowShutDown() =>
        throw new ObjectDisposedException(ToString(), "The event loop is shutting down and accepts no more work.");
}
