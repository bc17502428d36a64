using NativeThreading.Async;
using NativeThreading.Queues;
using NativeThreading.Threads;
using NativeThreading.Workers;

namespace NativeThreading.Lifecycle;

/// <summary>What a pool accepted and cannot run any more: it runs on the runtime's pool, or a token has dropped it. No item is lost silently.</summary>
/// <param name="pool">The pool.</param>
/// <param name="handler">Of the exceptions that its items do not handle.</param>
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

    /// <summary>Starts the thread of a long-running task, which is no longer the pool's.</summary>
    public void StartElsewhere(Task task, Action<object?> execute)
    {
        Interlocked.Increment(ref _ranElsewhere);
        ThreadStarter.Start(() => execute(task), LongRunningThread.NameIn(pool), pool.MaxStackSize);
    }

    /// <summary>Runs what lies outside there: a late producer published it, or a worker handed it over.</summary>
    public void RunAllElsewhere()
    {
        var items = new List<WorkItem>();
        pool.Injector.TakeAll(items);
        items.ForEach(RunElsewhere);
    }

    /// <summary>
    /// Takes all there is. Drops raw items, and tells groups and loops; tasks, and what goes on with accepted work, run
    /// elsewhere. Returns how many were dropped.
    /// </summary>
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
            // Who queued it decides, and never the kind of its state: a raw item may have a task as its state.
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
