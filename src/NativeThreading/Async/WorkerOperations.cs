using NativeThreading.Waiting;

namespace NativeThreading.Async;

/// <summary>The open operations that one worker began.</summary>
/// <remarks>
/// The last few as they are, for most complete soon; the others weakly, so that a completed operation and its result are
/// not kept alive until somebody looks. One that is collected before it completed never will. The references are used
/// again, so that adding allocates nothing in the long run.
/// </remarks>
internal sealed class WorkerOperations(Thread? owner)
{
    private readonly UninterruptedLock _lock = new();
    private readonly Recent[] _recent = new Recent[QueueTuning.RecentOperations];
    private WeakReference<Task>[] _operations = [];
    private int _count;
    private int _recentCount;

    public Thread? Owner { get; } = owner;

    /// <summary>By any thread.</summary>
    public void Add(Task operation)
    {
        using (_lock.EnterScope())
        {
            AddWeakly(operation);
        }
    }

    /// <summary>By the owner, who settles from time to time.</summary>
    public void AddRecent(Task operation)
    {
        if (_recentCount >= Mechanisms.If(Mechanisms.RecentOperations, QueueTuning.RecentOperations))
        {
            Settle();
        }

        _recent[_recentCount++].Operation = operation; // whoever looks does so while no worker runs
    }

    /// <summary>By the owner: keeps nothing alive from now on.</summary>
    public void Settle()
    {
        if (_recentCount == 0)
        {
            return;
        }

        using (_lock.EnterScope())
        {
            foreach (ref Recent recent in _recent.AsSpan(0, _recentCount))
            {
                if (!recent.Operation!.IsCompleted)
                {
                    AddWeakly(recent.Operation);
                }

                recent.Operation = null;
            }

            _recentCount = 0;
        }
    }

    /// <summary>One that is not complete, or null. Exact while the owner does not run.</summary>
    public Task? FindOne()
    {
        using (_lock.EnterScope())
        {
            foreach (Recent recent in _recent)
            {
                if (recent.Operation is { IsCompleted: false } open)
                {
                    return open;
                }
            }

            Sweep();
            return _count != 0 && _operations[0].TryGetTarget(out Task? operation) ? operation : null;
        }
    }

    private void AddWeakly(Task operation)
    {
        if (_count == _operations.Length)
        {
            Sweep();
            GrowIfCrowded();
        }

        _operations[_count++].SetTarget(operation);
    }

    /// <summary>Forgets what has completed. Under the lock.</summary>
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

    /// <summary>So that a sweep of n is paid by n/2 additions at least. Under the lock.</summary>
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

    // Not an array of tasks: storing into one would check what kind of task it is.
    private struct Recent
    {
        public Task? Operation;
    }
}
