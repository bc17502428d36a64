using NativeThreading.Platform;
using NativeThreading.Queues;
using NativeThreading.Scheduling;

namespace NativeThreading.EventLoops.Turns;

/// <summary>The queue of callbacks that outlived their loop. They were written for a single thread. So they run on the built-in
/// pool one at a time, in order, and not before the loop's driver has left. If a token stopped a loop that hands over, callbacks of former drivers
/// may still run then: they may be waiting for these.</summary>
internal sealed class OrphanQueue(SynchronizationContext context, Func<Exception, bool>? handler) : IThreadPoolWorkItem
{
    [ThreadStatic]
    private static OrphanQueue? t_running;

    private readonly UninterruptedLock _lock = new();
    private readonly Queue<WorkItem> _items = new();
    private bool _isOpen;
    private bool _isRunning;
    private long _count;

    /// <summary>Whether the caller is one of these callbacks. Work that it waits for must not be queued after it (T38).</summary>
    public bool IsRunningHere => t_running == this;

    public long Count => Volatile.Read(ref _count);

    public void Add(WorkItem item)
    {
        using (_lock.EnterScope())
        {
            _items.Enqueue(item);
            _count++;
        }

        RunNext(hasEnded: false);
    }

    /// <summary>Starts the queue: the loop's thread runs no more callbacks.</summary>
    public void Open()
    {
        using (_lock.EnterScope())
        {
            _isOpen = true;
        }

        RunNext(hasEnded: false);
    }

    void IThreadPoolWorkItem.Execute()
    {
        WorkItem item;
        using (_lock.EnterScope())
        {
            item = _items.Dequeue();
        }

        // Awaits of the callback resume here, too. The built-in pool resets the context afterwards.
        SynchronizationContext.SetSynchronizationContext(context);
        t_running = this;
        try
        {
            OrphanedItem.Run(item, handler);
        }
        finally
        {
            t_running = null;
            RunNext(hasEnded: true);
        }
    }

    private void RunNext(bool hasEnded)
    {
        using (_lock.EnterScope())
        {
            _isRunning &= !hasEnded;
            if (!_isOpen || _isRunning || _items.Count == 0)
            {
                return;
            }

            _isRunning = true;
        }

        ThreadPool.UnsafeQueueUserWorkItem(this, preferLocal: false);
    }
}
