using NativeThreading.Async;
using NativeThreading.EventLoops;
using NativeThreading.Interop;
using NativeThreading.Lifecycle;
using NativeThreading.Queues;
using NativeThreading.Waiting;
using NativeThreading.Workers;

namespace NativeThreading;

/// <summary>Shutting down: refuse entry, finish what was accepted, end the thread.</summary>
public sealed partial class EventLoop
{
    private static readonly Action<object?> s_look = static _ => { };

    private readonly TaskCompletionSource<long> _stopped = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly UninterruptedLock _stopLock = new();
    private readonly StopTokens _stopTokens = new();
    private readonly OrphanQueue _orphans;
    private LifecycleState _state;
    private bool _stoppedByToken; // written under the lock, before the loop has stopped
    private long _openOperations;

    /// <summary>
    /// Continuations, tasks and completions of offloaded work that came after the loop had stopped. They ran on the runtime's
    /// pool instead, one at a time and in order, so no async method hangs because its loop has gone. Posts are refused then.
    /// </summary>
    public long RanElsewhereCount => _orphans.Count;

    /// <summary>Whether the caller runs on behalf of the loop: on its thread or, after its end, elsewhere.</summary>
    internal bool IsRunningHere => IsInLoop || _orphans.IsRunningHere;

    internal bool IsStopped => _state.IsStopped;

    internal bool IsDraining => _state.IsDraining;

    /// <summary>
    /// Refuses new work from other threads, runs all accepted work, cancels timers and registrations, and ends the thread.
    /// Callbacks posted by callbacks, continuations of async methods, operations of <c>InvokeAsync</c> and offloaded work with
    /// its completion count as accepted. Timers fire until then, because async methods may wait for them. Timers of <see
    /// cref="TimeProvider"/> outlive the loop: the runtime's timers take over. Later calls join the first.
    /// </summary>
    /// <param name="cancellationToken">
    /// Ends the wait: what has not begun is dropped, and the running callback ends by itself.
    /// </param>
    /// <returns>
    /// How many callbacks were dropped: 0 unless <paramref name="cancellationToken"/> was cancelled. Operations of
    /// <c>InvokeAsync</c> that are dropped are cancelled. Continuations and tasks are never dropped: they run on the runtime's
    /// pool, one at a time and in order, after the running callback.
    /// </returns>
    /// <remarks>A callback may call this, but must not wait for the returned task: it would wait for itself.</remarks>
    public Task<long> ShutdownAsync(CancellationToken cancellationToken)
    {
        if (_state.TryDrain())
        {
            Chaos.Point("EventLoop.ShutdownAsync, draining");
            PostContinuation(s_look, null);
        }

        if (!_stopped.Task.IsCompleted)
        {
            _stopTokens.Add(static loop => ((EventLoop)loop!).StopNow(), this, cancellationToken);
        }

        return _stopped.Task;
    }

    /// <summary><see cref="ShutdownAsync"/> without a token.</summary>
    public ValueTask DisposeAsync() => new(ShutdownAsync(CancellationToken.None));

    /// <summary>
    /// Shuts the loop down and waits until its work is done. On the loop's own thread it only begins the shutdown: a loop
    /// cannot wait for itself.
    /// </summary>
    public void Dispose()
    {
        Task<long> stopped = ShutdownAsync(CancellationToken.None);
        if (!IsInLoop)
        {
            // To join wakes the caller once; to wait for the task and then join would do so twice. Each join is bounded: after
            // an exception another thread takes over the loop, and after a stop by token a callback may never end.
            while (!stopped.IsCompleted)
            {
                _thread!.Join(LoopTuning.JoinStep);
            }
        }
    }

    /// <summary>Counts an operation: a loop that drains waits for its end.</summary>
    internal void OperationBegan() => Interlocked.Increment(ref _openOperations);

    /// <summary>An operation has ended, perhaps on another thread.</summary>
    internal void OperationEnded()
    {
        Chaos.Point("EventLoop.OperationEnded");
        if (Interlocked.Decrement(ref _openOperations) == 0 && IsDraining)
        {
            PostContinuation(s_look, null); // the draining loop may wait for nothing else
        }
    }

    /// <summary>
    /// On the loop's thread, at the end of a turn. A callback counts as pending from the moment its slot is claimed. A later
    /// claim is refused by the sealed shard.
    /// </summary>
    private bool TryFinishDraining()
    {
        Chaos.Point("EventLoop.TryFinishDraining");
        if (Volatile.Read(ref _openOperations) != 0 || OutstandingOffloads != 0)
        {
            return false;
        }

        Chaos.Point("EventLoop.TryFinishDraining, nothing open");

        using (_stopLock.EnterScope())
        {
            if (!_posted.TrySealDrained())
            {
                return false;
            }

            Chaos.Point("EventLoop.TryFinishDraining, sealed");

            _state.Stop();
        }

        return true;
    }

    /// <summary>Stops by token: drops what has not begun, and does not wait for what runs (T114).</summary>
    private void StopNow()
    {
        var dropped = new List<WorkItem>();
        using (_stopLock.EnterScope())
        {
            if (IsStopped)
            {
                return;
            }

            _stoppedByToken = true;
            Chaos.Point("EventLoop.StopNow");
            _state.Stop();
            Chaos.Point("EventLoop.StopNow, stopped");
            _posted.Seal();
            WorkItem item = default;
            while (_posted.TryTakeLast(ref item))
            {
                if (!ItemContext.AllowsDrop(item.Context))
                {
                    PassOn(item);
                }
                else
                {
                    dropped.Add(item);
                }
            }
        }

        Chaos.Point("EventLoop.StopNow, emptied");
        Interlocked.Exchange(ref _attentive.Value, 1);
        _ = NativeMethods.nth_event_loop_wake(_native.Pointer, 0);
        GC.KeepAlive(this);
        foreach (WorkItem item in dropped)
        {
            (item.State as IDroppable)?.Drop();
        }

        _stopped.TrySetResult(dropped.Count);
    }

    /// <summary>Ends the loop: the last act of its thread.</summary>
    private void Close()
    {
        using (_stopLock.EnterScope())
        {
            // Already set, unless the loop could not go on. Under the lock, so a stop by token has dropped what it drops.
            _state.Stop();
            AbandonPosted();
        }

        Chaos.Point("EventLoop.Close, stopped");
        foreach (object target in Targets.Snapshot())
        {
            (target as EventLoopTimer)?.CancelAtStop();
            (target as EventLoopRegistration)?.RemoveAtStop();
        }

        Chaos.Point("EventLoop.Close, targets told");
        NativeMethods.nth_event_loop_close(_native.Pointer);
        Chaos.Point("EventLoop.Close, closed");
        _orphans.Open();
        _stopTokens.Release();
        if (!_stoppedByToken)
        {
            _stopped.TrySetResult(0); // unless the stop has set how many it dropped
        }
    }

    /// <summary>
    /// Passes on what a loop that could not go on leaves behind: a callback is never lost silently. Any other loop has sealed
    /// and emptied its shard by now.
    /// </summary>
    private void AbandonPosted()
    {
        _posted.Seal();
        WorkItem item = default;
        while (_posted.TryTakeLast(ref item))
        {
            PassOn(item);
        }
    }

    private void PassOn(WorkItem item)
    {
        if (item.Callback != s_look) // s_look only concerned the loop itself
        {
            _orphans.Add(item);
        }
    }
}
