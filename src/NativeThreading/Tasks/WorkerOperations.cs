using NativeThreading.Platform;

namespace NativeThreading.Tasks;

/// <summary>The open operations that one worker started.</summary>
/// <remarks>
/// The references are weak, so that a completed operation and its result are not kept alive until the next scan. An operation that is collected
/// before it has completed never completes. The references are reused, so that adding allocates nothing in the long run.
/// </remarks>
internal sealed class WorkerOperations(Thread? owner)
{
    private readonly UninterruptedLock _lock = new();
    private WeakReference<Task>[] _operations = [];
    private int _count;

    public Thread? Owner { get; } = owner;

    /// <summary>Any thread may call this.</summary>
    public void Add(Task operation)
    {
        using (_lock.EnterScope())
        {
            if (_count == _operations.Length)
            {
                Sweep();
                GrowIfCrowded();
            }

            _operations[_count++].SetTarget(operation);
        }
    }

    /// <summary>Returns an operation that is not complete, or null. Exact while the owner does not run.</summary>
    public Task? FindOne()
    {
        using (_lock.EnterScope())
        {
            Sweep();
            return _count != 0 && _operations[0].TryGetTarget(out Task? operation) ? operation : null;
        }
    }

    /// <summary>Removes completed operations. Under the lock.</summary>
    private void Sweep()
    {
        int open = 0;
        for (int i = 0; i < _count; i++)
        {
            if (_operations[i].TryGetTarget(out Task? operation) && !operation.IsCompleted)
            {
                (_operations[open], _operations[i]) = (_operations[i], _operations[open]);
                open++;
            }
        }

        _count = open;
    }

    /// <summary>Sets the next size at which to sweep, so that at least n/2 additions share the cost of a sweep of n. Under the lock.</summary>
    private void GrowIfCrowded()
    {
        int length = _operations.Length;
        if (_count < length / 2 && length != 0)
        {
            return;
        }

        Array.Resize(ref _operations, Math.Max(length * 2, QueueTuning.FirstWeakOperations));
        for (int i = length; i < _operations.Length; i++)
        {
            _operations[i] = new WeakReference<Task>(null!);
        }
    }
}
