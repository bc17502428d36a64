namespace NativeThreading.Queues;

/// <summary>A position among the ready items of a shard. Used under the shard's consumer lock.</summary>
internal struct InjectorCursor(InjectorSegment segment, int index)
{
    private InjectorSegment? _segment = segment;
    private int _index = index;

    public bool IsFilled
    {
        get
        {
            if (_index == InjectorSegment.Size)
            {
                _segment = _segment?.Next;
                _index = 0;
            }

            return _segment is not null && _segment.IsFilled(_index);
        }
    }

    /// <summary>Whether a producer has claimed the slot and has not filled it.</summary>
    public bool IsAwaited => !IsFilled && _segment is not null && _index < _segment.Claimed;

    /// <summary>Continues to the next filled slot, if it is not at one, past those that are claimed and will be filled.</summary>
    public bool FindFilled()
    {
        while (!IsFilled)
        {
            if (_segment is null || _index >= _segment.Claimed)
            {
                return false;
            }

            _index++;
        }

        return true;
    }

    public readonly InjectorSegment Segment => _segment!;

    /// <summary>The ticket of the slot in its segment.</summary>
    public readonly int Ticket => _index;

    /// <summary>A copy of the item there.</summary>
    public readonly WorkItem Item => _segment!.ItemAt(_index);

    /// <summary>Whether a range lies there.</summary>
    public readonly bool IsAtRange => _segment!.Holds(_index, ItemRange.Entry);

    public void MoveNext() => _index++;
}
