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
    /// 1: the loop will look at the posted callbacks before it sleeps, so no poster need wake it. The loop clears it before its
    /// last look; the one poster that wakes the loop sets it.
    /// </summary>
    private PaddedIndex _attentive = new() { Value = 1 };

    /// <summary>
    /// Queues a callback behind the caller's earlier ones. The execution context flows to it. Allocates nothing.
    /// </summary>
    /// <param name="callback">Called once, on the loop's thread.</param>
    /// <param name="state">Passed to it.</param>
    /// <exception cref="ArgumentNullException"><paramref name="callback"/> is null.</exception>
    /// <exception cref="ObjectDisposedException">
    /// The loop has stopped; or it is shutting down, and the caller is not on its thread. The callback will not run.
    /// </exception>
    /// <remarks>
    /// An accepted callback runs on the loop's thread. If the token of a shutdown is cancelled first, it is dropped and
    /// counted.
    /// </remarks>
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

    /// <summary>Queues what accepted work needs in order to go on. Never refused.</summary>
    internal void PostContinuation(Action<object?> callback, object? state) => Enqueue(callback, state, ContinuationContext.Instance);

    /// <summary>As <see cref="PostContinuation"/>, with a context of its own; a stop by token drops what waits.</summary>
    internal void Enqueue(Action<object?> callback, object? state, object? context)
    {
        if (!TryEnqueue(callback, state, context))
        {
            using (_stopLock.EnterScope())
            {
                // Behind what this thread has posted earlier: the shard is emptied under the lock.
                PassOn(new WorkItem { Callback = callback, State = state, Context = context });
            }
        }
    }

    /// <summary>Writes the loop's wake descriptor even if the loop is awake; for a benchmark that measures this.</summary>
    internal void WakeThroughKernel()
    {
        _ = NativeMethods.nth_event_loop_wake(_native.Pointer, EventLoopHandle.WakeThroughKernel);
        GC.KeepAlive(this);
    }

    /// <summary>
    /// Publishes a callback, and wakes the loop unless it will look. No wake is lost: the shard fences between the publication
    /// and the read of the flag, the loop between clearing the flag and its last look. So either the loop finds the callback,
    /// or this thread finds the flag clear and wakes (T2, T71).
    /// </summary>
    /// <returns>
    /// <see langword="false"/>: the loop has stopped. Nothing lies in between: the loop seals its shard in the word by which
    /// slots are claimed, and takes all that were claimed before (T144).
    /// </returns>
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

            // -ESHUTDOWN: the loop has closed, so it has taken all that was queued.
            _ = NativeMethods.nth_event_loop_wake(_native.Pointer, 0);
            GC.KeepAlive(this);
        }
    }

    /// <summary>The loop's last look before it sleeps: whether it may sleep.</summary>
    private bool TryBecomeInattentive()
    {
        Chaos.Point("EventLoop.TryBecomeInattentive");
        Volatile.Write(ref _attentive.Value, 0);
        Interlocked.MemoryBarrier(); // pairs with the one in InjectorShard.Enqueue
        Chaos.Point("EventLoop.TryBecomeInattentive, inattentive");
        if (_posted.IsEmpty)
        {
            return true;
        }

        Volatile.Write(ref _attentive.Value, 1);
        return false;
    }

    /// <summary>Refuses other threads once the shutdown has begun.</summary>
    internal void BeforeEntry()
    {
        if (_state.IsEnding && !IsInLoop)
        {
            ThrowShutDown();
        }

        Chaos.Point("EventLoop.BeforeEntry, admitted");
    }

    /// <summary>
    /// The same check again, for an entry that was counted and is not queued. The entry is counted before this check, and the
    /// loop says that it drains before it reads the count. So the loop finds the entry counted, or the entry finds the loop
    /// draining.
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
