using System.Runtime.CompilerServices;
using NativeThreading.Diagnostics;
using NativeThreading.Queues;

namespace NativeThreading.Testing;

// The queueing calls, with the meaning they have on a NativeThreadPool.
public sealed partial class ManualThreadPool
{
    /// <inheritdoc/>
    public bool QueueUserWorkItem(WaitCallback callBack) => QueueUserWorkItem(callBack, null);

    /// <inheritdoc/>
    public bool QueueUserWorkItem(WaitCallback callBack, object? state)
    {
        ArgumentNullException.ThrowIfNull(callBack);
        return Enqueue(NewItem(WorkItem.AsCallback(callBack), state, flow: true));
    }

    /// <inheritdoc/>
    public bool QueueUserWorkItem<TState>(Action<TState> callBack, TState state, bool preferLocal)
    {
        ArgumentNullException.ThrowIfNull(callBack);
        return Enqueue(NewItem(WorkItem.CallbackOf(callBack), WorkItem.StateOf(callBack, state), flow: true));
    }

    /// <inheritdoc/>
    public bool UnsafeQueueUserWorkItem(WaitCallback callBack, object? state)
    {
        ArgumentNullException.ThrowIfNull(callBack);
        return Enqueue(NewItem(WorkItem.AsCallback(callBack), state, flow: false));
    }

    /// <inheritdoc/>
    public bool UnsafeQueueUserWorkItem<TState>(Action<TState> callBack, TState state, bool preferLocal)
    {
        ArgumentNullException.ThrowIfNull(callBack);
        return Enqueue(NewItem(WorkItem.CallbackOf(callBack), WorkItem.StateOf(callBack, state), flow: false));
    }

    /// <inheritdoc/>
    public bool UnsafeQueueUserWorkItem(IThreadPoolWorkItem callBack, bool preferLocal)
    {
        ArgumentNullException.ThrowIfNull(callBack);
        if (callBack is Task)
        {
            throw new ArgumentOutOfRangeException(nameof(callBack), "A Task cannot be queued as a work item. Start it on the pool's Scheduler.");
        }

        return Enqueue(NewItem(NativeThreadPool.ExecuteWorkItem, callBack, flow: false));
    }

    /// <inheritdoc/>
    public void UnsafeQueueContinuation<TState>(Action<TState> callBack, TState state, bool preferLocal)
    {
        ArgumentNullException.ThrowIfNull(callBack);
        Add(new ManualWorkItem(_ => callBack(state), null, context: null) { IsContinuation = true });
    }

    /// <inheritdoc/>
    public bool TryQueueUserWorkItem(WaitCallback callBack, object? state)
    {
        ArgumentNullException.ThrowIfNull(callBack);
        return TryEnter(NewItem(WorkItem.AsCallback(callBack), state, flow: true));
    }

    /// <inheritdoc/>
    public bool TryQueueUserWorkItem<TState>(Action<TState> callBack, TState state, bool preferLocal)
    {
        ArgumentNullException.ThrowIfNull(callBack);
        return TryEnter(NewItem(WorkItem.CallbackOf(callBack), WorkItem.StateOf(callBack, state), flow: true));
    }

    /// <inheritdoc/>
    public ValueTask QueueAsync(WaitCallback callBack, object? state, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(callBack);
        return EnqueueAsync(WorkItem.AsCallback(callBack), state, cancellationToken);
    }

    /// <inheritdoc/>
    public ValueTask QueueAsync<TState>(Action<TState> callBack, TState state, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(callBack);
        return EnqueueAsync(WorkItem.CallbackOf(callBack), WorkItem.StateOf(callBack, state), cancellationToken);
    }

    private ManualWorkItem NewItem(Action<object?> callback, object? state, bool flow, TaskCompletionSource? accepted = null) =>
        new(callback, state, flow ? ExecutionContext.Capture() : null)
        {
            Accepted = accepted,
            IsFromOutside = Current != this,
            IsHeldByPause = IsOutside,
            StartTime = ManualWorkView.Current?.StartTimeOfRaw(),
            Observed = Observation is { IsOn: true } observation ? ObservedCall.OfRaw(observation, callback, state, ManualWorkView.Current) : null,
        };

    private bool TryEnter(ManualWorkItem item)
    {
        ThrowIfShutDown();
        bool isAccepted = _queue.TryEnter(item);
        if (isAccepted)
        {
            item.Observed?.NoteQueued();
        }

        SettleIfStopped();
        return isAccepted;
    }

    private bool Enqueue(ManualWorkItem item)
    {
        if (!TryEnter(item))
        {
            if (_mode != QueueFullMode.RunOnCaller)
            {
                throw QueueFull();
            }

            RunOnCaller(item);
        }

        return true;
    }

    private ValueTask EnqueueAsync(Action<object?> callback, object? state, CancellationToken cancellationToken)
    {
        if (cancellationToken.IsCancellationRequested)
        {
            return ValueTask.FromCanceled(cancellationToken);
        }

        if (RefusesCaller)
        {
            return ValueTask.FromException(ShutDownError());
        }

        ManualWorkItem item = NewItem(callback, state, flow: true);
        if (TryEnter(item))
        {
            return default;
        }

        if (_mode == QueueFullMode.Wait)
        {
            return new ValueTask(JoinAsync(callback, state, cancellationToken));
        }

        if (_mode == QueueFullMode.Reject)
        {
            return ValueTask.FromException(QueueFull());
        }

        RunOnCaller(item);
        return default;
    }

    private void RunOnCaller(ManualWorkItem item)
    {
        ThrowUnlessStackIsLeft();
        item.Observed = null;
        item.Run();
    }

    private Task JoinAsync(Action<object?> callback, object? state, CancellationToken cancellationToken)
    {
        var accepted = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        ManualWorkItem item = NewItem(callback, state, flow: true, accepted);
        if (_queue.EnterOrJoin(item))
        {
            item.Observed?.NoteQueued();
            accepted.TrySetResult();
            SettleIfStopped();
            return accepted.Task;
        }

        // The token ends the wait, not the item: an item that was accepted runs.
        CancellationTokenRegistration registration = cancellationToken.UnsafeRegister(
            (_, token) =>
            {
                if (_queue.TryLeaveLine(item))
                {
                    accepted.TrySetCanceled(token);
                }
            },
            null);
        accepted.Task.ContinueWith(
            _ => registration.Unregister(), CancellationToken.None, TaskContinuationOptions.ExecuteSynchronously, TaskScheduler.Default);
        return accepted.Task;
    }

    private QueueFullException QueueFull() => new(Name, _limit!.Value);

    private void ThrowUnlessStackIsLeft()
    {
        if (!IsStackLeft())
        {
            throw QueueFull();
        }
    }

    /// <summary>With a margin: the framework asks again a few frames deeper before it runs a task in place, and would queue it and block for it
    /// instead.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    [SkipLocalsInit]
    private static unsafe bool IsStackLeft()
    {
        byte* margin = stackalloc byte[16 * 1024];
        Volatile.Write(ref *margin, 0); // or it would not be allocated
        return RuntimeHelpers.TryEnsureSufficientExecutionStack();
    }
}
