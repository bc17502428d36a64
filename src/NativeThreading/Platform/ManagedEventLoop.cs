using System.Diagnostics.CodeAnalysis;

namespace NativeThreading.Platform;

/// <summary>Wakes and timers in one poll, in C#; no descriptors, and no polling before a sleep. Contracts and results are those of
/// native_threading.h. Belongs to the thread that polls it; only <see cref="Wake"/> and <see cref="Stats"/> are for any thread.</summary>
/// <remarks>
/// <para>At most one sleep comes first, then a wake, then the timers due, and all are in the caller's array before the caller runs. So a timer that is
/// armed from its own callback, or a wake from the loop itself, waits for the next poll (T74). The clock is read again after the sleep (T77). The
/// event is the only trace of a wake, and only a poll consumes it, so no wake is lost or left over (T71, T78).</para>
/// <para>Equal deadlines fire in arming order, because each arming takes the next number (T75). A deadline before the last poll's time counts as
/// that time: a timer that is armed for 0 from its own callback would otherwise go before those that are due already, in every poll (T74). The heap
/// grows when a timer is made, never when it is armed.</para>
/// </remarks>
[SuppressMessage("Design", "CA1001", Justification = "The event is left to its finalizer: a waker may be inside when the loop closes (T72).")]
internal sealed unsafe class ManagedEventLoop
{
    /// <summary>NTH_POLL_MIN_EVENTS.</summary>
    public const int FewestEvents = 8;

    private const int NoSuchTimer = -2; // -ENOENT

    private readonly AutoResetEvent _woken = new(initialState: false);
    private readonly Dictionary<long, Timer> _timers = [];
    private DeadlineHeap<Timer, Order> _armed = new(default, capacity: 32);
    private NativeEvent* _events; // of the last poll
    private int _count;
    private long _wakes;
    private long _reported;
    private long _sleeps;
    private long _timersMade;
    private long _armings;
    private long _lastPoll;

    /// <summary>Sleeps, wakes, and wakes that a poll has reported, in the place of system calls.</summary>
    public EventLoopStats Stats => new() { Waits = Volatile.Read(ref _sleeps), Writes = Volatile.Read(ref _wakes), Reads = Volatile.Read(ref _reported) };

    /// <summary>The earliest deadline of a timer; <see cref="MonotonicClock.Never"/> if none is armed.</summary>
    public long NextDeadline => _armed.Count == 0 ? MonotonicClock.Never : _armed.First.Deadline;

    /// <summary>Makes the current or the next poll report a wake. Wakes before one poll are one.</summary>
    public int Wake()
    {
        Interlocked.Increment(ref _wakes);
        _woken.Set();
        return 1;
    }

    public int Poll(NativeEvent* events, int capacity, long timeoutNanoseconds)
    {
        long now = MonotonicClock.Now;
        long deadline = Math.Min(NextDeadline, MonotonicClock.After(timeoutNanoseconds));
        Volatile.Write(ref _sleeps, _sleeps + (deadline > now && timeoutNanoseconds != 0 ? 1 : 0));
        _events = events;
        _count = UninterruptedWait.One(_woken, deadline) ? 1 : 0;
        Volatile.Write(ref _reported, _reported + _count);
        _events[0] = new NativeEvent { Kind = NativeEventKind.Wake };
        Chaos.Point("ManagedEventLoop.Poll, awake");
        return ReportTimers(MonotonicClock.Now, capacity);
    }

    /// <summary>The last step of a poll at this time. Returns how many events the poll has reported.</summary>
    public int ReportTimers(long now, int capacity)
    {
        for (_lastPoll = now; _count < capacity && NextDeadline <= now;)
        {
            Timer due = _armed.First;
            Disarm(due);
            _events[_count++] = new NativeEvent { Token = due.Token, Kind = NativeEventKind.Timer };
        }

        return _count;
    }

    /// <summary>Makes a timer, not armed. Its handle is never used again. No other timer has its token.</summary>
    public long CreateTimer(ulong token)
    {
        _timers.Add(_timersMade, new Timer(token));
        _armed.Reserve(_timers.Count);
        return _timersMade++;
    }

    public int ArmTimer(long handle, long deadline)
    {
        int result = CancelTimer(handle);
        if (result >= 0)
        {
            Timer timer = _timers[handle];
            (timer.Deadline, timer.Arming) = (Math.Max(deadline, _lastPoll), _armings++);
            _armed.Add(timer);
        }

        return Math.Min(result, 0);
    }

    /// <summary>1: it was armed, or its event was in the current batch and is struck out now; 0: neither.</summary>
    public int CancelTimer(long handle) =>
        !_timers.TryGetValue(handle, out Timer? timer) ? NoSuchTimer : Disarm(timer) | StrikeOut(timer.Token) ? 1 : 0;

    public int DestroyTimer(long handle)
    {
        int result = CancelTimer(handle);
        _timers.Remove(handle);
        return Math.Min(result, 0);
    }

    private bool Disarm(Timer timer)
    {
        int place = timer.Place;
        if (place >= 0)
        {
            timer.Place = -1;
            _armed.RemoveAt(place);
        }

        return place >= 0;
    }

    /// <summary>Strikes out a timer's event that its caller has not read yet (T76). <see langword="true"/> if there was one.</summary>
    private bool StrikeOut(ulong token)
    {
        for (int i = 0; i < _count; i++)
        {
            if (_events[i].Kind == NativeEventKind.Timer && _events[i].Token == token)
            {
                _events[i].Kind = NativeEventKind.None;
                return true;
            }
        }

        return false;
    }

    private sealed class Timer(ulong token)
    {
        public ulong Token => token;
        public long Deadline { get; set; }
        public long Arming { get; set; }
        public int Place { get; set; } = -1; // in the heap; -1: not armed
    }

    private readonly struct Order : IHeapOwner<Timer>
    {
        public bool IsBefore(in Timer entry, in Timer other) => (entry.Deadline, entry.Arming).CompareTo((other.Deadline, other.Arming)) < 0;

        public void Placed(in Timer entry, int position) => entry.Place = position;
    }
}
