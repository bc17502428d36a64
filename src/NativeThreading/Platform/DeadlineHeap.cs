namespace NativeThreading.Platform;

/// <summary>The order of a heap's entries, and how its owner learns where an entry is.</summary>
internal interface IHeapOwner<TEntry>
{
    /// <summary>Whether the entry is due before the other one.</summary>
    bool IsBefore(in TEntry entry, in TEntry other);

    /// <summary>The entry is at this position from now on.</summary>
    void Placed(in TEntry entry, int position);
}

/// <summary>A heap of armed timers: those of a loop of the managed core, or of the process. Used by one thread at a time.</summary>
/// <remarks>An entry holds all that is compared. An entry that leaves does not tell the owner: the caller knows which one leaves.</remarks>
internal struct DeadlineHeap<TEntry, TOwner>(TOwner owner, int capacity)
    where TOwner : struct, IHeapOwner<TEntry>
{
    private const int Children = 4; // half the levels of a binary heap, for one more comparison at each

    private TEntry[] _entries = new TEntry[capacity];

    /// <summary>How many entries there are.</summary>
    public int Count { get; private set; }

    /// <summary>The earliest entry, if there is one.</summary>
    public readonly ref readonly TEntry First => ref _entries[0];

    public readonly ref readonly TEntry this[int position] => ref _entries[position];

    /// <summary>Makes room for that many entries. The array grows by a half, so that less than a third of it is ever empty.</summary>
    public void Reserve(int count)
    {
        if (count > _entries.Length)
        {
            Array.Resize(ref _entries, Math.Max(count, _entries.Length + (_entries.Length / 2)));
        }
    }

    public void Add(in TEntry entry)
    {
        Reserve(Count + 1);
        SiftUp(Count++, entry);
    }

    public void Replace(int position, in TEntry entry)
    {
        if (position > 0 && owner.IsBefore(entry, _entries[(position - 1) / Children]))
        {
            SiftUp(position, entry);
        }
        else
        {
            SiftDown(position, entry);
        }
    }

    public void RemoveAt(int position)
    {
        int last = --Count;
        TEntry moved = _entries[last];
        _entries[last] = default!; // it may refer to an object
        if (position != last)
        {
            Replace(position, moved);
        }
    }

    /// <summary>Gives the array back, when no entry is left.</summary>
    public void Shrink(int toCapacity)
    {
        if (_entries.Length > toCapacity)
        {
            _entries = new TEntry[toCapacity];
        }
    }

    /// <summary>Moves the hole at the position towards the root until the entry fits in.</summary>
    private readonly void SiftUp(int position, in TEntry entry)
    {
        while (position > 0)
        {
            int parent = (position - 1) / Children;
            if (!owner.IsBefore(entry, _entries[parent]))
            {
                break;
            }

            Place(position, _entries[parent]);
            position = parent;
        }

        Place(position, entry);
    }

    /// <summary>Moves the hole away from the root until the entry fits in.</summary>
    private readonly void SiftDown(int position, in TEntry entry)
    {
        TEntry[] entries = _entries;
        while (true)
        {
            int first = (Children * position) + 1;
            if (first >= Count)
            {
                break;
            }

            int earliest = first;
            for (int other = first + 1; other < Math.Min(first + Children, Count); other++)
            {
                earliest = owner.IsBefore(entries[other], entries[earliest]) ? other : earliest;
            }

            if (!owner.IsBefore(entries[earliest], entry))
            {
                break;
            }

            Place(position, entries[earliest]);
            position = earliest;
        }

        Place(position, entry);
    }

    private readonly void Place(int position, in TEntry entry)
    {
        _entries[position] = entry;
        owner.Placed(entry, position);
    }
}
