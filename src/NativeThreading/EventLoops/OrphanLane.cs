using NativeThreading.Async;
using NativeThreading.Queues;
using NativeThreading.Waiting;

namespace NativeThreading.EventLoops;

/// <summary>
/// Where callbacks run that outlived their loop: on the runtime's pool, but still one at a time, in order, and not beside
/// the loop's last callback, for they were written for a single thread.
/// </summary>
internal sealed class OrphanLane(SynchronizationContext context, Func<Exception, bool>? handler) : IThreadPoolWorkItem
{
    [ThreadStatic]
    private static OrphanLane? t_running;

    private readonly UninterruptedLock _lock = new();
    private readonly Queue<WorkItem> _items = new();
    private bool _isOpen;
    private bool _isRunning;
    private long _count;

    /// <summary>Whether the caller is one of the callbacks: what it waits for must not queue up behind it (T38).</summary>
    public bool IsRunningHere => t_running == this;

    /// <summary>Callbacks that were taken over.</summary>
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

    /// <summary>The loop's thread runs no more callbacks.</summary>
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

        // What it awaits comes back here as well; the runtime's pool resets the context afterwards.
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
