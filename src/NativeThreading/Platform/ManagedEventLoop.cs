using System.Diagnostics.CodeAnalysis;

namespace NativeThreading.Platform;

/// <summary>Wakes and timers in one poll, in C#; no descriptors, and no polling before a sleep. Contracts and results are those of
/// native_threading.h. Belongs to the thread that polls it; only <see cref="Wake"/> and <see cref="Stats"/> are for any thread.</summary>
/// <remarks>
/// <para>At most one sleep comes first, then a wake, then the timers due, and all are in the caller's array before the caller runs. So a timer that is
/// armed from its own callback, or a wake from the loop itself, waits for the next poll (T74). The clock is read again after the sleep (T77). The
/// event is the only trace of a wake, and only a poll consumes it, so no wake is lost or left over (T71, T78).</para>
/// <para>Equal deadlines fire in arming order, because each arming takes the next number (T75). A deadline before the last poll's time counts as
/// that time: a timer that is armed for 0 from its own callback would otherwise go before those that are due already, in every poll (T74). Arrays
/// grow when a timer is made, never when it is armed.</para>
/// </remarks>
[SuppressMessage("Design", "CA1001", Justification = "The event is left to its finalizer: a waker may be inside when the loop closes (T72).")]
internal sealed unsafe class ManagedEventLoop
{
    /// <summary>NTH_POLL_MIN_EVENTS.</summary>
    public const int FewestEvents = 8;

    private readonly AutoResetEvent _woken = new(initialState: false);
    private int[] _places = new int[32]; // by timer: its place in the heap, plus 1; 0 if it is not armed
    private DeadlineHeap<Armed, Places> _armed;
    private NativeEvent* _events; // of the last poll
    private int _count;
    private EventLoopStats _stats;
    private long _armings;
    private long _lastPoll;

    public ManagedEventLoop() => _armed = new(new Places(this), _places.Length);

    /// <summary>Sleeps, wakes, and wakes that a poll has reported, in the place of system calls.</summary>
    public EventLoopStats Stats => new()
    {
        Waits = Volatile.Read(ref _stats.Waits), Writes = Volatile.Read(ref _stats.Writes), Reads = Volatile.Read(ref _stats.Reads),
    };

    /// <summary>The earliest deadline of a timer; <see cref="MonotonicClock.Never"/> if none is armed.</summary>
    public long NextDeadline => _armed.Count == 0 ? MonotonicClock.Never : _armed.First.Deadline;

    /// <summary>Makes the current or the next poll report a wake. Wakes before one poll are one.</summary>
    public int Wake()
    {
        Interlocked.Increment(ref _stats.Writes);
        _woken.Set();
        return 1;
    }

    public int Poll(NativeEvent* events, int capacity, long timeoutNanoseconds)
    {
        long deadline = Math.Min(NextDeadline, MonotonicClock.After(timeoutNanoseconds));
        Volatile.Write(ref _stats.Waits, _stats.Waits + (deadline > MonotonicClock.Now ? 1 : 0));
        _events = events;
        _count = UninterruptedWait.One(_woken, deadline) ? 1 : 0;
        Volatile.Write(ref _stats.Reads, _stats.Reads + _count);
        _events[0] = new NativeEvent { Kind = NativeEventKind.Wake };
        Chaos.Point("ManagedEventLoop.Poll, awake");
        return ReportTimers(MonotonicClock.Now, capacity);
    }

    /// <summary>The last step of a poll at this time. Returns how many events the poll has reported.</summary>
    public int ReportTimers(long now, int capacity)
    {
        for (_lastPoll = now; _count < capacity && NextDeadline <= now;)
        {
            int due = _armed.First.Timer;
            Disarm(due);
            _events[_count++] = new NativeEvent { Token = (ulong)due, Kind = NativeEventKind.Timer };
        }

        return _count;
    }

    /// <summary>Makes room for a timer, whose handle is its token: a small number that no other timer has. To destroy it is to cancel it.</summary>
    public long CreateTimer(ulong token)
    {
        if (token >= (ulong)_places.Length)
        {
            Array.Resize(ref _places, 2 * (int)token);
            _armed.Reserve(_places.Length);
        }

        return (long)token;
    }

    public int ArmTimer(long timer, long deadline)
    {
        _ = CancelTimer(timer);
        _armed.Add(new Armed(Math.Max(deadline, _lastPoll), _armings++, (int)timer));
        return 0;
    }

    /// <summary>1: it was armed, or its event is in the current batch, the caller has not read it yet, and it is struck out now (T76); 0:
    /// neither.</summary>
    public int CancelTimer(long timer)
    {
        if (_places[timer] != 0)
        {
            Disarm((int)timer);
            return 1;
        }

        for (int i = 0; i < _count; i++)
        {
            if (_events[i].Kind == NativeEventKind.Timer && _events[i].Token == (ulong)timer)
            {
                _events[i].Kind = NativeEventKind.None;
                return 1;
            }
        }

        return 0;
    }

    private void Disarm(int timer)
    {
        _armed.RemoveAt(_places[timer] - 1);
        _places[timer] = 0;
    }

    private readonly record struct Armed(long Deadline, long Arming, int Timer);

    private readonly struct Places(ManagedEventLoop loop) : IHeapOwner<Armed>
    {
        public bool IsBefore(in Armed entry, in Armed other) => (entry.Deadline, entry.Arming).CompareTo((other.Deadline, other.Arming)) < 0;

        public void Placed(in Armed entry, int position) => loop._places[entry.Timer] = position + 1;
    }
}
