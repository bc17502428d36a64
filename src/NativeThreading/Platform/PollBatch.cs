namespace NativeThreading.Platform;

/// <summary>The events that the current poll has written into its caller's array. Each timer knows its event, so one that becomes stale before
/// the caller reads it can be struck out (T76). As native/src/event_batch.h.</summary>
internal unsafe struct PollBatch
{
    private NativeEvent* _events;
    private int _capacity;
    private long _number; // 0: no batch

    public int Count { get; private set; }

    public readonly int Room => _capacity - Count;

    /// <summary>Begins the next batch, in that array.</summary>
    public void Begin(NativeEvent* events, int capacity)
    {
        _events = events;
        _capacity = capacity;
        Count = 0;
        _number++;
    }

    public void Append(ref BatchEntry entry, ulong token, NativeEventKind kind)
    {
        entry = new BatchEntry(_number, Count);
        _events[Count++] = new NativeEvent { Token = token, Kind = kind };
    }

    /// <summary><see langword="true"/> if there was an event to strike out.</summary>
    public readonly bool StrikeOut(ref BatchEntry entry)
    {
        bool there = entry.Number != 0 && entry.Number == _number && _events[entry.Index].Kind != NativeEventKind.None;
        if (there)
        {
            _events[entry.Index].Kind = NativeEventKind.None;
        }

        entry = default;
        return there;
    }
}

/// <summary>Where the event of a timer is, valid for the batch of that number.</summary>
internal readonly record struct BatchEntry(long Number, int Index);
