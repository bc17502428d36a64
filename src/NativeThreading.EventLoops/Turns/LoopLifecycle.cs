using System.Diagnostics.CodeAnalysis;
using NativeThreading.Platform;
using NativeThreading.Queues;
using NativeThreading.Scheduling;
using NativeThreading.Shutdown;
using NativeThreading.Tasks;

namespace NativeThreading.EventLoops.Turns;

/// <summary>The end of a loop: it rejects entries and runs accepted work, or a token stops it; then its thread closes it.
/// No other code changes the loop's <see cref="LifecycleState"/>.</summary>
internal sealed class LoopLifecycle(EventLoop loop, OrphanQueue orphans)
{
    private static readonly Action<object?> s_look = static _ => { };

    private readonly TaskCompletionSource<long> _stopped = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly UninterruptedLock _stopLock = new();
    private readonly StopTokens _tokens = new();
    private LifecycleState _state;
    private bool _stoppedByToken; // written under the lock, before the loop has stopped
    private long _openOperations;

    public bool IsStopped => _state.IsStopped;
    public bool IsDraining => _state.IsDraining;

    /// <summary>The number of callbacks that were queued after the stop and ran elsewhere.</summary>
    public long RanElsewhereCount => orphans.Count;

    /// <summary>Whether the caller runs on behalf of the loop: on its thread or, after its end, elsewhere.</summary>
    public bool IsRunningHere => loop.IsInLoop || orphans.IsRunningHere;

    /// <summary>Starts the shutdown, or joins it.</summary>
    public Task<long> BeginShutdown(CancellationToken cancellationToken)
    {
        if (_state.TryDrain())
        {
            Chaos.Point("LoopLifecycle.BeginShutdown, draining");
            HaveLoopLook();
        }

        if (!_stopped.Task.IsCompleted)
        {
            _tokens.Add(static (lifecycle, token) => ((LoopLifecycle)lifecycle!).StopNow(token), this, cancellationToken);
        }

        return _stopped.Task;
    }

    /// <summary>Rejects entries of other threads once the shutdown has started.</summary>
    public void BeforeEntry()
    {
        if (_state.IsEnding && !loop.IsOnThread)
        {
            ThrowShutDown();
        }

        Chaos.Point("LoopLifecycle.BeforeEntry, admitted");
    }

    /// <summary>The same check again, for an entry that was counted and is not queued. The entry is counted before this check, and the loop publishes
    /// that it drains before it reads the count. So either the loop finds the entry counted, or the entry finds the loop draining.</summary>
    public void ThrowIfEntryIsOver()
    {
        Chaos.Point("LoopLifecycle.ThrowIfEntryIsOver");
        if (loop.IsOnThread ? IsStopped : _state.IsEnding)
        {
            ThrowShutDown();
        }
    }

    [DoesNotReturn]
    public void ThrowShutDown() =>
        throw new ObjectDisposedException(loop.ToString(), "The event loop is shutting down and accepts no new work.");

    /// <summary>Counts an operation: a draining loop waits until it completes.</summary>
    public void OperationBegan() => Interlocked.Increment(ref _openOperations);

    /// <summary>An operation has completed, perhaps on another thread.</summary>
    public void OperationEnded()
    {
        Chaos.Point("LoopLifecycle.OperationEnded");
        if (Interlocked.Decrement(ref _openOperations) == 0)
        {
            LookIfDraining();
        }
    }

    /// <summary>Work for which a draining loop waits has completed. The loop may wait for no other work, so it must check.</summary>
    public void LookIfDraining()
    {
        if (IsDraining)
        {
            HaveLoopLook();
        }
    }

    /// <summary>Passes on an item that must not be dropped and that the loop will not run. It follows the earlier posts of the caller, because the
    /// shard is emptied under the same lock.</summary>
    public void PassOn(WorkItem item)
    {
        if (item.Callback != s_look) // this one concerned only the loop itself
        {
            using var held = _stopLock.EnterScope();
            orphans.Add(item);
        }
    }

    /// <summary>On the loop's thread, at the end of a turn. A callback counts as pending from the moment its slot is claimed. The sealed shard
    /// rejects later claims.</summary>
    public bool TryFinishDraining()
    {
        Chaos.Point("LoopLifecycle.TryFinishDraining");
        if (Volatile.Read(ref _openOperations) != 0 || loop.Offloads.Outstanding != 0 || loop.Deferred.Count != 0
            || loop.HandOver is { FormerCount: not 0 })
        {
            return false;
        }

        Chaos.Point("LoopLifecycle.TryFinishDraining, nothing open");
        using (_stopLock.EnterScope())
        {
            if (!loop.Queue.Callbacks.TrySealDrained())
            {
                return false;
            }

            Chaos.Point("LoopLifecycle.TryFinishDraining, sealed");
            _state.Stop();
        }

        return true;
    }

    /// <summary>Ends the loop. Called last by its thread.</summary>
    public void Close()
    {
        using (_stopLock.EnterScope())
        {
            // A loop that could not continue has not stopped, and its callbacks are passed on, so that none is lost silently. Any other loop has
            // sealed and emptied its shard. Under the lock, so a stop by token has dropped its callbacks before.
            _state.Stop();
            TakeAllLocked().ForEach(PassOn);
        }

        Chaos.Point("LoopLifecycle.Close, stopped");
        foreach (object target in loop.Targets.Snapshot())
        {
            (target as EventLoopTimer)?.CancelAtStop();
            (target as EventLoopRegistration)?.RemoveAtStop();
        }

        Chaos.Point("LoopLifecycle.Close, targets told");
        loop.Native.Close();
        loop.HandOver?.Dispose();
        Chaos.Point("LoopLifecycle.Close, closed");
        orphans.Open();
        _tokens.Release();
        if (!_stoppedByToken)
        {
            Completion.Set(_stopped, 0); // unless the stop has set the number of dropped callbacks
        }
    }

    /// <summary>Stops the loop by token: drops callbacks that have not started, and does not wait for running ones (T114).</summary>
    private void StopNow(CancellationToken stopToken)
    {
        List<WorkItem> dropped;
        using (_stopLock.EnterScope())
        {
            if (IsStopped)
            {
                return;
            }

            _stoppedByToken = true;
            Chaos.Point("LoopLifecycle.StopNow");
            _state.Stop();
            Chaos.Point("LoopLifecycle.StopNow, stopped");
            List<WorkItem> left = TakeAllLocked();
            left.FindAll(static item => !ItemContext.AllowsDrop(item.Context)).ForEach(PassOn);
            dropped = left.FindAll(static item => ItemContext.AllowsDrop(item.Context));
        }

        Chaos.Point("LoopLifecycle.StopNow, emptied");
        loop.Queue.WakeForStop();
        int cancelledBefore = dropped.Count(item => (item.State as IDroppable)?.Drop(stopToken) == false);
        Completion.Set(_stopped, dropped.Count - cancelledBefore);
    }

    /// <summary>In a stopped loop: rejects callbacks from now on, and takes the accepted ones.</summary>
    private List<WorkItem> TakeAllLocked()
    {
        var items = new List<WorkItem>(loop.Deferred.Seal());
        loop.Queue.Callbacks.Seal();
        WorkItem item = default;
        while (loop.Queue.Callbacks.TryTakeLast(ref item))
        {
            items.Add(item);
        }

        return items;
    }

    private void HaveLoopLook() => loop.PostContinuation(s_look, null);
}
