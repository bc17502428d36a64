namespace NativeThreading.Testing;

/// <summary>The items of a <see cref="ManualThreadPool"/> in one order, its permits, and those who wait for one.</summary>
/// <remarks>Any thread may call; nothing foreign runs under the lock but the start of a task on the pool's own scheduler.</remarks>
/// <param name="limit">The limit of waiting items.</param>
/// <param name="mostOperations">The limit of operations in flight.</param>
internal sealed class ManualQueue(int? limit, int? mostOperations)
{
    private readonly Lock _lock = new();
    private readonly LinkedList<ManualWorkItem>[] _items = [new(), new(), new()]; // the highest priority first
    private readonly LinkedList<ManualWorkItem> _waiters = new();
    private int _heldCount;
    private int _inFlight;
    private bool _isPaused;

    public int Count
    {
        get
        {
            lock (_lock)
            {
                return _items.Sum(static items => items.Count);
            }
        }
    }

    /// <summary>Whether an item may start now.</summary>
    public bool HasNext
    {
        get
        {
            lock (_lock)
            {
                return Next() is not null;
            }
        }
    }

    /// <summary>Whether items that start work wait.</summary>
    public bool IsPaused
    {
        get
        {
            lock (_lock)
            {
                return _isPaused;
            }
        }

        set
        {
            lock (_lock)
            {
                _isPaused = value;
            }
        }
    }

    public int WaiterCount
    {
        get
        {
            lock (_lock)
            {
                return _waiters.Count;
            }
        }
    }

    /// <summary>Adds an item that is never rejected: a continuation, or a callback of a timer.</summary>
    public void Add(ManualWorkItem item)
    {
        lock (_lock)
        {
            ItemsOf(item).AddLast(item.Node);
        }
    }

    /// <summary>Acquires a permit, if there is one and no caller waits for it.</summary>
    public bool TryEnter(ManualWorkItem item)
    {
        lock (_lock)
        {
            return _waiters.Count == 0 && TryAdmit(item);
        }
    }

    /// <summary>Acquires a permit, or waits for one, and says which.</summary>
    public bool EnterOrJoin(ManualWorkItem item)
    {
        lock (_lock)
        {
            if (_waiters.Count == 0 && TryAdmit(item))
            {
                return true;
            }

            _waiters.AddLast(item.Node);
            return false;
        }
    }

    /// <summary>Leaves the waiter list; <see langword="false"/>: the item is not, or no longer, in it.</summary>
    public bool TryLeaveLine(ManualWorkItem item)
    {
        lock (_lock)
        {
            if (item.Node.List != _waiters)
            {
                return false;
            }

            _waiters.Remove(item.Node);
            return true;
        }
    }

    /// <summary>Takes all items out, and gives no permit to those that wait for one.</summary>
    public List<ManualWorkItem> TakeAll()
    {
        lock (_lock)
        {
            List<ManualWorkItem> items = [.. _items.SelectMany(static items => items)];
            Array.ForEach(_items, static items => items.Clear());
            foreach (ManualWorkItem item in items.FindAll(static item => item.HoldsPermit))
            {
                item.HoldsPermit = false;
                _heldCount--;
            }

            return items;
        }
    }

    /// <summary>Takes those that wait for a permit out of the waiter list: all, or those from outside.</summary>
    public List<ManualWorkItem> TakeWaiters(bool all)
    {
        lock (_lock)
        {
            List<ManualWorkItem> waiters = [.. _waiters.Where(item => all || item.IsFromOutside)];
            waiters.ForEach(item => _waiters.Remove(item.Node));
            return waiters;
        }
    }

    /// <summary>The oldest item that may start, which releases its permit; or <see langword="null"/>.</summary>
    public ManualWorkItem? Take()
    {
        List<ManualWorkItem> granted;
        ManualWorkItem? item;
        lock (_lock)
        {
            item = Next();
            if (item is null)
            {
                return null;
            }

            if (item.NeedsPlace)
            {
                item.HoldsPlace = true;
                _inFlight++;
            }

            granted = RemoveFromQueue(item);
        }

        TellGranted(granted);
        return item;
    }

    /// <summary>Takes an item out of the queue, or of the waiter list; <see langword="false"/>: it is in neither.</summary>
    public bool Remove(ManualWorkItem item)
    {
        List<ManualWorkItem> granted = [];
        lock (_lock)
        {
            if (item.Node.List == _waiters)
            {
                _waiters.Remove(item.Node);
            }
            else if (item.Node.List is not null)
            {
                granted = RemoveFromQueue(item);
            }
            else
            {
                return false;
            }
        }

        TellGranted(granted);
        return true;
    }

    /// <summary>An operation has ended: its place is free. Another call changes nothing.</summary>
    public void LeavePlace(ManualWorkItem item)
    {
        lock (_lock)
        {
            if (item.HoldsPlace)
            {
                item.HoldsPlace = false;
                _inFlight--;
            }
        }
    }

    private ManualWorkItem? Next() => _items.SelectMany(static items => items).FirstOrDefault(MayStart);

    private bool MayStart(ManualWorkItem item) => !(_isPaused && item.IsHeldByPause) && !(item.NeedsPlace && _inFlight >= mostOperations);

    private LinkedList<ManualWorkItem> ItemsOf(ManualWorkItem item) => _items[WorkPriority.High - (item.View?.Priority ?? WorkPriority.Normal)];

    private List<ManualWorkItem> RemoveFromQueue(ManualWorkItem item)
    {
        ItemsOf(item).Remove(item.Node);
        if (!item.HoldsPermit)
        {
            return [];
        }

        item.HoldsPermit = false;
        _heldCount--;
        return Grant();
    }

    private List<ManualWorkItem> Grant()
    {
        var granted = new List<ManualWorkItem>();
        while (_waiters.First is { } first && _heldCount < limit)
        {
            _waiters.Remove(first);
            TryAdmit(first.Value);
            granted.Add(first.Value);
        }

        return granted;
    }

    private bool TryAdmit(ManualWorkItem item)
    {
        if (_heldCount >= limit)
        {
            return false;
        }

        item.HoldsPermit = true;
        _heldCount++;
        if (item.Admit is null)
        {
            ItemsOf(item).AddLast(item.Node);
        }
        else if (!item.Admit())
        {
            item.HoldsPermit = false; // cancelled: it never lies in the queue
            _heldCount--;
        }

        return true;
    }

    /// <summary>Outside the lock; continuations run elsewhere.</summary>
    private static void TellGranted(List<ManualWorkItem> granted) => granted.ForEach(static item =>
    {
        item.Observed?.NoteQueued();
        item.Accepted?.TrySetResult();
    });
}
