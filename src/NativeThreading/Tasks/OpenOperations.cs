using NativeThreading.Platform;

namespace NativeThreading.Tasks;

/// <summary>
/// Operations of <c>Run</c> that were incomplete when their first part had returned. No thread is notified when one completes:
/// only a pool that drains wants to know, and it looks. A continuation for each would double what an operation allocates.
/// </summary>
/// <remarks>Any thread may ask; workers of the pool add, each to a list of its own, and callers on whose thread an operation runs.</remarks>
internal sealed class OpenOperations
{
    private readonly UninterruptedLock _lock = new();
    private readonly List<WorkerOperations> _lists = []; // under the lock
    private readonly WorkerOperations _fromOutside = new(null);

    /// <summary>An operation that runs on a thread which need not be a worker.</summary>
    public void AddFromOutside(Task operation) => _fromOutside.Add(operation);

    /// <summary>One that is not complete, or null. Exact while no worker runs.</summary>
    public Task? FindOne()
    {
        using (_lock.EnterScope())
        {
            foreach (WorkerOperations list in _lists)
            {
                if (list.FindOne() is Task open)
                {
                    return open;
                }
            }

            return _fromOutside.FindOne();
        }
    }

    /// <summary>A list for the calling worker, which adds to it before the item that began an operation ends.</summary>
    public WorkerOperations AddList()
    {
        var list = new WorkerOperations(Thread.CurrentThread);
        using (_lock.EnterScope())
        {
            // What ended workers left behind is kept for as long as it is open.
            _lists.RemoveAll(static other => !other.Owner!.IsAlive && other.FindOne() is null);
            _lists.Add(list);
        }

        return list;
    }
}
