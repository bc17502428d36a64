using System.Diagnostics;

namespace NativeThreading.Platform;

/// <summary>The timers of a loop, and a heap of those that are armed. Used by one thread. As native/src/timer_heap.c.</summary>
/// <remarks>An entry of the heap holds all that is compared. Equal deadlines fire in arming order, because each arming takes the next number
/// (T75). A deadline before the last poll's time counts as that time: a timer that is armed for 0 from its own callback would otherwise go
/// before those that are due already, in every poll (T74). Both arrays grow when a timer is made, never when it is armed.</remarks>
internal sealed class TimerHeap
{
    private const int FirstCapacity = 32;

    private DeadlineHeap<Entry, Rows> _heap;
    private Timer[] _timers = new Timer[FirstCapacity];
    private int _created; // timers that were ever in use
    private int _free = -1; // the first of the free list
    private long _sequence;
    private long _floor;

    public TimerHeap() => _heap = new DeadlineHeap<Entry, Rows>(new Rows(this), FirstCapacity);

    /// <summary>How many are armed.</summary>
    public int Armed => _heap.Count;

    /// <summary>The earliest deadline; <see cref="long.MaxValue"/> without one.</summary>
    public long Next => Armed == 0 ? long.MaxValue : _heap.First.Deadline;

    /// <summary>Makes a timer, not armed. Its handle is never used again.</summary>
    public long Create(ulong token)
    {
        int row = _free;
        if (row >= 0)
        {
            _free = _timers[row].Position;
        }
        else
        {
            if (_created == _timers.Length)
            {
                Array.Resize(ref _timers, 2 * _created);
                _heap.Reserve(_timers.Length);
            }

            row = _created++;
        }

        ref Timer timer = ref _timers[row];
        timer.Token = token;
        timer.Position = Timer.NotArmed;
        timer.IsUsed = true;
        return ((long)timer.Generation << 32) | (uint)row;
    }

    /// <summary>The row of a handle, or -1.</summary>
    public int Find(long handle)
    {
        uint row = (uint)handle;
        return row < (uint)_created && _timers[row].IsUsed && _timers[row].Generation == handle >> 32 ? (int)row : -1;
    }

    /// <summary>Where the timer's event is, if it was due in the current batch.</summary>
    public ref BatchEntry EntryOf(int row) => ref _timers[row].Entry;

    public void Arm(int row, long deadline)
    {
        var entry = new Entry(Math.Max(deadline, _floor), _sequence++, row);
        int position = _timers[row].Position;
        if (position == Timer.NotArmed)
        {
            _heap.Add(entry);
        }
        else
        {
            _heap.Replace(position, entry);
        }
    }

    /// <summary><see langword="true"/> if it was armed.</summary>
    public bool Disarm(int row)
    {
        int position = _timers[row].Position;
        if (position == Timer.NotArmed)
        {
            return false;
        }

        TakeOut(position);
        return true;
    }

    /// <summary>Gives back a timer that is not armed.</summary>
    public void Release(int row)
    {
        ref Timer timer = ref _timers[row];
        Debug.Assert(timer.Position == Timer.NotArmed);
        timer.IsUsed = false;
        timer.Generation = (timer.Generation + 1) & int.MaxValue;
        timer.Position = _free;
        _free = row;
    }

    /// <summary>Disarms those that are due and appends their events, as many as there is room for.</summary>
    public void TakeDue(long now, ref PollBatch batch)
    {
        _floor = now;
        while (batch.Room > 0 && Next <= now)
        {
            ref Timer timer = ref _timers[_heap.First.Row];
            TakeOut(0);
            batch.Append(ref timer.Entry, timer.Token, NativeEventKind.Timer);
        }
    }

    private void TakeOut(int position)
    {
        _timers[_heap[position].Row].Position = Timer.NotArmed;
        _heap.RemoveAt(position);
    }

    /// <summary>The position of each entry is written into its timer.</summary>
    private readonly struct Rows(TimerHeap timers) : IHeapOwner<Entry>
    {
        public bool IsBefore(in Entry entry, in Entry other) =>
            entry.Deadline < other.Deadline || (entry.Deadline == other.Deadline && entry.Sequence < other.Sequence);

        public void Placed(in Entry entry, int position) => timers._timers[entry.Row].Position = position;
    }

    /// <summary>An armed timer in the heap.</summary>
    private readonly record struct Entry(long Deadline, long Sequence, int Row);

    private struct Timer
    {
        public const int NotArmed = -1;

        public ulong Token;
        public BatchEntry Entry;
        public int Generation; // of the handle: 31 bits
        public int Position; // in the heap, or NotArmed; next in the free list, where it is not in use
        public bool IsUsed;
    }
}
