namespace NativeThreading.Platform;

/// <summary>The timers of a loop, and a heap of those that are armed. Used by one thread.</summary>
/// <remarks>Equal deadlines fire in arming order, because each arming takes the next number (T75). A deadline before the last poll's time counts as
/// that time: a timer that is armed for 0 from its own callback would otherwise go before those that are due already, in every poll (T74). The heap
/// grows when a timer is made, never when it is armed.</remarks>
internal sealed class TimerHeap
{
    private const int FirstCapacity = 32;

    private readonly Dictionary<long, Timer> _timers = [];
    private DeadlineHeap<Entry, Timers> _heap = new(default, FirstCapacity);
    private long _created;
    private long _sequence;
    private long _floor;

    /// <summary>How many are armed.</summary>
    public int Armed => _heap.Count;

    /// <summary>The earliest deadline; <see cref="long.MaxValue"/> without one.</summary>
    public long Next => Armed == 0 ? long.MaxValue : _heap.First.Deadline;

    /// <summary>Makes a timer, not armed. Its handle is never used again.</summary>
    public long Create(ulong token)
    {
        _timers.Add(_created, new Timer(token));
        _heap.Reserve(_timers.Count);
        return _created++;
    }

    /// <summary>The timer with this handle; <see langword="null"/> if it was released.</summary>
    public Timer? Find(long handle) => _timers.GetValueOrDefault(handle);

    /// <summary>Gives back a timer that is not armed.</summary>
    public void Release(long handle) => _timers.Remove(handle);

    public void Arm(Timer timer, long deadline)
    {
        var entry = new Entry(Math.Max(deadline, _floor), _sequence++, timer);
        if (timer.Position == Timer.NotArmed)
        {
            _heap.Add(entry);
        }
        else
        {
            _heap.Replace(timer.Position, entry);
        }
    }

    /// <summary><see langword="true"/> if it was armed.</summary>
    public bool Disarm(Timer timer)
    {
        int position = timer.Position;
        if (position == Timer.NotArmed)
        {
            return false;
        }

        timer.Position = Timer.NotArmed;
        _heap.RemoveAt(position);
        return true;
    }

    /// <summary>Disarms the next timer that is due and returns it; <see langword="null"/> if there is none.</summary>
    public Timer? TakeDue(long now)
    {
        _floor = now;
        Timer? due = Next <= now ? _heap.First.Timer : null;
        return due is not null && Disarm(due) ? due : null;
    }

    internal sealed class Timer(ulong token)
    {
        public const int NotArmed = -1;

        public ulong Token => token;
        public int Position { get; set; } = NotArmed; // in the heap

        /// <summary>The loop's poll that has reported it last, and where.</summary>
        public (long Poll, int Index) Event { get; set; }
    }

    private readonly record struct Entry(long Deadline, long Sequence, Timer Timer);

    private readonly struct Timers : IHeapOwner<Entry>
    {
        public bool IsBefore(in Entry entry, in Entry other) =>
            entry.Deadline < other.Deadline || (entry.Deadline == other.Deadline && entry.Sequence < other.Sequence);

        public void Placed(in Entry entry, int position) => entry.Timer.Position = position;
    }
}
