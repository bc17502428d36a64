using NativeThreading.Limits;
using NativeThreading.Workers;

namespace NativeThreading;

/// <summary>The limit of a pool's queue: who may enter, and who is refused.</summary>
public sealed partial class NativeThreadPool
{
    private long _rejected;

    /// <summary>Items that were refused because the queue was full.</summary>
    internal long RejectedWorkItemCount => Volatile.Read(ref _rejected);

    /// <summary>The places of the queue, where it is limited.</summary>
    internal QueuePlaces? Places { get; }

    internal QueueFullException QueueFullError(string consequence) => new(Name, Places!.Limit, consequence);

    /// <summary>Returns the calling worker, if it is one of this pool. Throws before anything is taken or published.</summary>
    private Worker? BeforeGuardedEntry()
    {
        Worker? worker = Worker.Current;
        if (worker is not null && worker.Pool == this)
        {
            return worker;
        }

        BeforeEntryFromOutside();
        return null;
    }

    private void BeforeEntryFromOutside()
    {
        if (LongRunningThread.Pool != this)
        {
            ThrowIfShutDown();
        }

        if (ThreadCount == 0)
        {
            Requests.StartFirstWorker();
        }
    }

    private QueueFullException Rejection(int items = 1)
    {
        Interlocked.Add(ref _rejected, items);
        return QueueFullError(
            QueueFullMode == QueueFullMode.Wait
                ? "a worker of the pool must not block until there is a place: QueueAsync and RunAsync wait without a thread."
                : items == 1 ? "the item was not queued." : $"none of the {items} items was queued.");
    }
}
