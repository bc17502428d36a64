using NativeThreading.Platform;

namespace NativeThreading.Tasks;

/// <summary>
/// Operations of <c>Run</c> that were incomplete when their first part had returned. No thread is notified when one completes: only a pool that
/// drains needs to know, and it scans them. A continuation for each would double the allocations of an operation.
/// </summary>
/// <remarks>Any thread may read. Workers of the pool add operations, each to its own list, and so do callers on whose thread an operation
/// runs.</remarks>
internal sealed class OpenOperations
{
    private readonly UninterruptedLock _lock = new();
    private readonly List<WorkerOperations> _lists = []; // under the lock
    private readonly WorkerOperations _fromOutside = new(null);

    /// <summary>An operation that runs on a thread which need not be a worker.</summary>
    public void AddFromOutside(Task operation) => _fromOutside.Add(operation);

    /// <summary>Returns an operation that is not complete, or null. Exact while no worker runs.</summary>
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

    /// <summary>Creates a list for the calling worker, which adds an operation to it before the item that started the operation completes.</summary>
    public WorkerOperations AddList()
    {
        var list = new WorkerOperations(Thread.CurrentThread);
        using (_lock.EnterScope())
        {
            // The operations of workers that have ended are kept as long as they are open.
            _lists.RemoveAll(static other => !other.Owner!.IsAlive && other.FindOne() is null);
            _lists.Add(list);
        }

        return list;
    }
}
