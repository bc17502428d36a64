namespace NativeThreading.Testing;

/// <summary>The items of a <see cref="ManualThreadPool"/> in one order, its places, and those who stand in line for one.</summary>
/// <remarks>Any thread may call; nothing foreign runs under the lock but the start of a task on the pool's own scheduler.</remarks>
internal sealed class ManualQueue(int? limit)
{
    private readonly Lock _lock = new();
    private readonly LinkedList<ManualWorkItem> _items = new();
    private readonly LinkedList<ManualWorkItem> _line = new();
    private int _taken;

    public int Count
    {
        get
        {
            lock (_lock)
            {
                return _items.Count;
            }
        }
    }

    public int LineLength
    {
        get
        {
            lock (_lock)
            {
                return _line.Count;
            }
        }
    }

    /// <summary>What is never refused: continuations, and callbacks of timers.</summary>
    public void Add(ManualWorkItem item)
    {
        lock (_lock)
        {
            _items.AddLast(item.Node);
        }
    }

    /// <summary>Takes a place, if there is one and nobody stands in line.</summary>
    public bool TryEnter(ManualWorkItem item)
    {
        lock (_lock)
        {
            return _line.Count == 0 && TryAdmit(item);
        }
    }

    /// <summary>Takes a place, or stands in line for one, and says which.</summary>
    public bool EnterOrJoin(ManualWorkItem item)
    {
        lock (_lock)
        {
            if (_line.Count == 0 && TryAdmit(item))
            {
                return true;
            }

            _line.AddLast(item.Node);
            return false;
        }
    }

    /// <summary>Leaves the line; <see langword="false"/>: the item is not, or no longer, in it.</summary>
    public bool TryLeaveLine(ManualWorkItem item)
    {
        lock (_lock)
        {
            if (item.Node.List != _line)
            {
                return false;
            }

            _line.Remove(item.Node);
            return true;
        }
    }

    /// <summary>The oldest item, which leaves its place; or <see langword="null"/>.</summary>
    public ManualWorkItem? Take()
    {
        List<ManualWorkItem> granted;
        ManualWorkItem? item;
        lock (_lock)
        {
            item = _items.First?.Value;
            if (item is null)
            {
                return null;
            }

            granted = RemoveFromQueue(item);
        }

        TellGranted(granted);
        return item;
    }

    /// <summary>Takes an item out of the queue, or of the line; <see langword="false"/>: it is in neither.</summary>
    public bool Remove(ManualWorkItem item)
    {
        List<ManualWorkItem> granted = [];
        lock (_lock)
        {
            if (item.Node.List == _line)
            {
                _line.Remove(item.Node);
            }
            else if (item.Node.List == _items)
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

    private List<ManualWorkItem> RemoveFromQueue(ManualWorkItem item)
    {
        _items.Remove(item.Node);
        if (!item.HoldsPlace)
        {
            return [];
        }

        item.HoldsPlace = false;
        _taken--;
        return Grant();
    }

    private List<ManualWorkItem> Grant()
    {
        var granted = new List<ManualWorkItem>();
        while (_line.First is { } first && _taken < limit)
        {
            _line.Remove(first);
            TryAdmit(first.Value);
            granted.Add(first.Value);
        }

        return granted;
    }

    private bool TryAdmit(ManualWorkItem item)
    {
        if (_taken >= limit)
        {
            return false;
        }

        item.HoldsPlace = true;
        _taken++;
        if (item.Admit is null)
        {
            _items.AddLast(item.Node);
        }
        else if (!item.Admit())
        {
            item.HoldsPlace = false; // cancelled: it never lies in the queue
            _taken--;
        }

        return true;
    }

    /// <summary>Outside the lock; continuations run elsewhere.</summary>
    private static void TellGranted(List<ManualWorkItem> granted) => granted.ForEach(static item => item.Accepted?.TrySetResult());
}
