using NativeThreading.Platform;
using NativeThreading.Queues;
using NativeThreading.Scheduling;

namespace NativeThreading.Limits;

/// <summary>The entry of a pool whose queue is limited. Items that find a permit are queued; for others the mode decides.</summary>
internal sealed partial class QueueAdmission(NativeThreadPool pool, int limit, QueueFullMode mode)
{
    private long _rejected;

    public Permits Permits { get; } = new(pool, limit);

    /// <summary>Items that were rejected because the queue was full.</summary>
    public long RejectedCount => Volatile.Read(ref _rejected);

    public QueueFullException FullError(string consequence) => new(pool.Name, limit, consequence);

    /// <summary>Queues an item, or does with it what the mode says.</summary>
    /// <param name="callback">The callback.</param>
    /// <param name="state">Its argument.</param>
    /// <param name="context">The context of the item.</param>
    /// <param name="flow">Whether the context of the caller flows to an item that runs on the caller.</param>
    /// <param name="preferLocal">Whether a worker of the pool queues into its own deque.</param>
    /// <param name="mayBlock">Whether the caller may wait. A loop's thread must not: its item waits alone.</param>
    public void Enqueue(Action<object?> callback, object? state, object? context, bool flow, bool preferLocal, bool mayBlock)
    {
        Worker? own = pool.BeforeEntry();
        if (TryEnqueue(own, callback, state, context, preferLocal))
        {
            return;
        }

        switch (mode)
        {
            case QueueFullMode.Wait when !mayBlock:
                NewWaiter(callback, state, Admitted(context)).JoinUnattended(CancellationToken.None);
                break;
            case QueueFullMode.Wait when own is null:
                NewWaiter(callback, state, Admitted(context)).JoinAndBlock(CancellationToken.None);
                break;
            case QueueFullMode.RunOnCaller:
                CallerRun.Run(pool, callback, state, flow);
                break;
            default:
                throw Rejection();
        }
    }

    /// <summary><see langword="false"/> where the queue is full.</summary>
    public bool TryEnqueue(Action<object?> callback, object? state, object? context, bool preferLocal)
    {
        if (TryEnqueue(pool.BeforeEntry(), callback, state, context, preferLocal))
        {
            return true;
        }

        Interlocked.Increment(ref _rejected);
        return false;
    }

    /// <summary>Completes when the item has been accepted.</summary>
    public ValueTask EnqueueAsync(Action<object?> callback, object? state, ViewedContext? viewed, CancellationToken cancellationToken)
    {
        try
        {
            object? context = viewed is null ? DefaultContext.Flowing() : viewed;
            if (TryEnqueue(pool.BeforeEntry(), callback, state, context, preferLocal: false))
            {
                return default;
            }

            if (mode == QueueFullMode.Wait)
            {
                return new ValueTask(NewWaiter(callback, state, Admitted(context)).Join(cancellationToken));
            }

            if (mode == QueueFullMode.Reject)
            {
                throw Rejection();
            }
        }
        catch (Exception exception) when (NativeThreadPool.IsRefusal(exception))
        {
            return ValueTask.FromException(exception);
        }

        CallerRun.Run(pool, callback, state, flow: true);
        return default;
    }

    /// <summary>Queues items of a group for a thread that is no worker. A pool that rejects takes all or none. Others take as many
    /// as there are permits; the rest wait one by one, or run on the caller.</summary>
    public void EnqueueBatch<TState>(Action<TState> callback, ReadOnlySpan<TState> states, GroupContext context, ref int published)
    {
        pool.BeforeEntry();
        if (Permits.TryAcquire(states.Length))
        {
            try
            {
                pool.PublishBatch(callback, states, new AdmittedContext(Permits, context), context.Group, ref published);
            }
            finally
            {
                for (int i = published; i < states.Length; i++)
                {
                    Permits.Release(); // out of memory
                }
            }

            return;
        }

        if (mode == QueueFullMode.Reject)
        {
            throw Rejection(states.Length);
        }

        foreach (TState state in states)
        {
            EnqueueOneOfGroup(WorkItem.CallbackOf(callback), WorkItem.StateOf(callback, state), context);
            published++;
        }
    }

    /// <summary>Queues an item of a group for a thread that is no worker; <see langword="false"/> if the queue is full.</summary>
    public bool TryEnqueueOfGroup(Action<object?> callback, object? state, GroupContext context, ref int published)
    {
        pool.BeforeEntry();
        if (!Permits.TryAcquire())
        {
            Interlocked.Increment(ref _rejected);
            return false;
        }

        try
        {
            pool.PublishBatch(callback, [state], new AdmittedContext(Permits, context), context.Group, ref published);
        }
        finally
        {
            if (published == 0)
            {
                Permits.Release(); // out of memory
            }
        }

        return true;
    }

    private AdmittedContext Admitted(object? context) => context is null ? Permits.Unflowed : new AdmittedContext(Permits, context);

    private Waiter NewWaiter(Action<object?> callback, object? state, object? context) =>
        new(pool, callback, state, context, isFromOutside: NativeThreadPool.Current != pool);

    private bool TryEnqueue(Worker? own, Action<object?> callback, object? state, object? context, bool preferLocal)
    {
        if (!Permits.TryAcquire())
        {
            return false;
        }

        try
        {
            AdmittedContext admitted = Admitted(context);
            if (own is not null && !ItemContext.HasPriority(context))
            {
                pool.EnqueueOnWorker(own, callback, state, admitted, preferLocal);
                return true;
            }

            pool.Publish(callback, state, admitted);
        }
        catch (OutOfMemoryException)
        {
            Permits.Release();
            throw;
        }

        pool.AfterOutsidePublication();
        return true;
    }

    /// <summary>Workers that wait for the group are woken for each item: one may be the one that makes room for the next.</summary>
    private void EnqueueOneOfGroup(Action<object?> callback, object? state, GroupContext context)
    {
        pool.BeforeEntry();
        try
        {
            if (TryEnqueue(own: null, callback, state, context, preferLocal: false))
            {
                return;
            }

            if (mode == QueueFullMode.Wait)
            {
                NewWaiter(callback, state, Admitted(context)).JoinAndBlock(CancellationToken.None);
                return;
            }
        }
        finally
        {
            context.Group.WakeSleepers(); // the thread that has published it, the caller or the one that granted the permit, has passed a fence
        }

        var item = new WorkItem { Callback = callback, State = state, Context = context };
        CallerRun.Run(pool, static item => OrphanedItem.Run((WorkItem)item!, handler: null), item, flow: true);
    }

    private QueueFullException Rejection(int items = 1)
    {
        Interlocked.Add(ref _rejected, items);
        return FullError(
            mode == QueueFullMode.Wait
                ? "A worker of the pool must not block until a permit is free. Use QueueAsync or RunAsync, which wait without a thread."
                : items == 1 ? "The item was not queued." : $"None of the {items} items was queued.");
    }
}
