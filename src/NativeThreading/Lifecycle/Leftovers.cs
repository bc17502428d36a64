using NativeThreading.Async;
using NativeThreading.Queues;
using NativeThreading.Threads;
using NativeThreading.Workers;

namespace NativeThreading.Lifecycle;

/// <summary>Items that a pool accepted and does not run: they run on the runtime's pool or are dropped, and are counted.</summary>
/// <param name="pool">The pool.</param>
/// <param name="handler">The pool's handler of unhandled exceptions.</param>
internal sealed class Leftovers(NativeThreadPool pool, Func<Exception, bool>? handler)
{
    private long _ranElsewhere;

    /// <summary>Items that ran elsewhere.</summary>
    public long RanElsewhereCount => Volatile.Read(ref _ranElsewhere);

    /// <summary>Runs an item on the runtime's pool.</summary>
    public void RunElsewhere(WorkItem item)
    {
        Interlocked.Increment(ref _ranElsewhere);
        ThreadPool.UnsafeQueueUserWorkItem(
            static orphan => OrphanedItem.Run(orphan.Item, orphan.Handler), (Item: item, Handler: handler), preferLocal: false);
    }

    /// <summary>Runs a long-running task on a thread that does not belong to the pool.</summary>
    public void StartElsewhere(Task task, Action<object?> execute)
    {
        Interlocked.Increment(ref _ranElsewhere);
        ThreadStarter.Start(() => execute(task), LongRunningThread.NameIn(pool), pool.MaxStackSize);
    }

    /// <summary>Runs what a late producer has published or a worker has handed over: the items of the injector queue.</summary>
    public void RunAllElsewhere()
    {
        var items = new List<WorkItem>();
        pool.Injector.TakeAll(items);
        items.ForEach(RunElsewhere);
    }

    /// <summary>Takes all items. Raw ones are dropped, and their groups and loops are told. Tasks and continuations run elsewhere.
    /// Returns how many were dropped.</summary>
    public long Abandon()
    {
        var items = new List<WorkItem>();
        pool.Injector.TakeAll(items);
        foreach (Worker worker in pool.Roster.Workers)
        {
            worker.Queues.TakeAll(items);
        }

        long dropped = 0;
        foreach (WorkItem item in items)
        {
            // The callback and the context decide. The state does not: a raw item may have a task as its state.
            if (pool.Scheduler.Executes(item.Callback) || !ItemContext.AllowsDrop(item.Context))
            {
                RunElsewhere(item);
                continue;
            }

            dropped++;
            ItemContext.Drop(item.Context, pool);
            (item.State as IDroppable)?.Drop();
        }

        return dropped;
    }
}
