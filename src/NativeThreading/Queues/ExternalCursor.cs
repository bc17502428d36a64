namespace NativeThreading.Queues;

/// <summary>A position among the ready items of a shard. Used under the shard's consumer lock.</summary>
internal struct ExternalCursor(ExternalSegment segment, int index)
{
    private ExternalSegment? _segment = segment;
    private int _index = index;

    public bool IsFilled
    {
        get
        {
            if (_index == ExternalSegment.Size)
            {
                _segment = _segment?.Next;
                _index = 0;
            }

            return _segment is not null && _segment.IsFilled(_index);
        }
    }

    public readonly ref WorkItem Slot => ref _segment!.Slot(_index);

    public void MoveNext() => _index++;
}
