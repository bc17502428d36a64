using System.Numerics;
using NativeThreading.Diagnostics;
using NativeThreading.Queues;
using NativeThreading.Scheduling;
using NativeThreading.Tasks;
using NativeThreading.Tracing;

namespace NativeThreading.Shutdown;

/// <summary>Items that a pool accepted and does not run. They run on the built-in pool or are dropped, and are counted.</summary>
/// <param name="pool">The pool.</param>
/// <param name="handler">The pool's handler of unhandled exceptions.</param>
internal sealed class Leftovers(NativeThreadPool pool, Func<Exception, bool>? handler)
{
    private long _ranElsewhere;
    private long _cancelledLate;
    private bool _isAbandoning;

    /// <summary>Items that ran elsewhere.</summary>
    public long RanElsewhereCount => Volatile.Read(ref _ranElsewhere);

    /// <summary>Calls that were cancelled after the count of dropped items had been taken.</summary>
    public long CancelledLateCount => Volatile.Read(ref _cancelledLate);

    /// <summary>Settles an item that was queued after the pool had stopped, or for which no thread could be started. If a token has stopped the pool,
    /// calls of <c>Run</c> are cancelled. Everything else runs on the built-in thread pool.</summary>
    public void Settle(WorkItem item)
    {
        if (pool.StopToken is { } stopToken && TryCancel(item, stopToken) is { } isCancelled)
        {
            NoteCancelledLate(isCancelled ? 1 : 0);
            return;
        }

        RunElsewhere(item);
        TellIfStopped();
    }

    /// <summary>The token of the shutdown has cancelled calls after the shutdown had reported its count.</summary>
    public void NoteCancelledLate(int count) => Interlocked.Add(ref _cancelledLate, count);

    /// <summary>Runs a long-running task on a thread that does not belong to the pool.</summary>
    public void StartElsewhere(Task task, Action<object?> execute)
    {
        Interlocked.Increment(ref _ranElsewhere);
        TellIfStopped();
        pool.StartThread(() => execute(task), LongRunningThread.NameIn(pool));
    }

    /// <summary>Settles the items of the injector queue, which late producers have published or workers have handed over.</summary>
    public void SettleAll()
    {
        if (Volatile.Read(ref _isAbandoning))
        {
            return; // the thread that abandons all items takes these, too, and counts them; it settles later ones
        }

        var items = new List<WorkItem>();
        pool.Injector.TakeAll(items);
        items.ForEach(Settle);
    }

    /// <summary>Takes all items. Raw ones are dropped, and their groups and loops are notified. Calls of <c>Run</c> are cancelled. Tasks that came
    /// through the scheduler and continuations run elsewhere. Returns how many were dropped or cancelled.</summary>
    public long Abandon()
    {
        try
        {
            return AbandonItems();
        }
        finally
        {
            Volatile.Write(ref _isAbandoning, false); // the caller settles items that were queued meanwhile
        }
    }

    /// <summary>Called before a token stops the pool: until <see cref="Abandon"/> has returned, no other thread settles items.</summary>
    public void BeginAbandoning() => Volatile.Write(ref _isAbandoning, true);

    private long AbandonItems()
    {
        CancellationToken stopToken = pool.StopToken!.Value;
        Chaos.Point("Leftovers.AbandonItems");
        var items = new List<WorkItem>();
        pool.Injector.TakeAll(items);
        foreach (Worker worker in pool.Workers)
        {
            worker.Queues.TakeAll(items);
        }

        long dropped = 0;
        foreach (WorkItem item in items)
        {
            if (TryCancel(item, stopToken) is { } isCancelled)
            {
                dropped += isCancelled ? 1 : 0;
                continue;
            }

            // The callback and the context decide. The state does not: a raw item may have a task as its state.
            if (pool.Scheduler.Executes(item.Callback) || !ItemContext.AllowsDrop(item.Context))
            {
                RunElsewhere(item);
                continue;
            }

            TimedContext.NoteDropped(pool, item);
            ItemContext.Drop(item.Context, pool);
            dropped += (item.State as IDroppable)?.Drop(stopToken) == false ? 0 : 1;
        }

        return dropped;
    }

    /// <summary>Cancels a call of <c>Run</c> or <c>RunAsync</c> that was taken out of its queue. <see langword="null"/>: the item is not such a call.
    /// <see langword="false"/>: it had started elsewhere, or had been cancelled before.</summary>
    private bool? TryCancel(in WorkItem item, CancellationToken stopToken) => item.State switch
    {
        IEntryCall call => call.TryAbandon(stopToken),
        Task { AsyncState: IEntryCall call } when pool.Scheduler.Executes(item.Callback) => call.TryAbandon(stopToken),
        Task task when pool.Scheduler.Executes(item.Callback) && EntryFunction.Is(task) => EntryFunction.TryRefuse(task, item.Callback!, stopToken),
        _ => null,
    };

    private void RunElsewhere(WorkItem item)
    {
        Interlocked.Increment(ref _ranElsewhere);
        ThreadPool.UnsafeQueueUserWorkItem(
            static orphan => OrphanedItem.Run(orphan.Item, orphan.Handler), (Item: item, Handler: handler), preferLocal: false);
    }

    /// <summary>After a stop, work that leaves the pool is reported: the first item, and then each time the number has doubled.</summary>
    private void TellIfStopped()
    {
        if (pool.IsStopped && BitOperations.IsPow2(RanElsewhereCount))
        {
            NativeThreadingEventSource.Log.RanElsewhere(pool.Name, RanElsewhereCount);
        }
    }
}
