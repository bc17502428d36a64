using System.Diagnostics;
using System.Diagnostics.CodeAnalysis;

namespace NativeThreading.Platform;

/// <summary>Wakes and timers in one poll, in C#; no descriptors, and no polling before a sleep. Contracts and results are those of
/// native_threading.h. Belongs to the thread that polls it; only <see cref="Wake"/> and <see cref="Stats"/> are for any thread.</summary>
/// <remarks>
/// <para>A pending wake comes first, then at most one sleep, then the timers due, and all are in the caller's array before the caller runs.
/// So a timer that is armed from its own callback, or a wake from the loop itself, waits for the next poll (T74). The clock is read when the
/// poll begins and after each sleep (T77).</para>
/// <para>No wake is lost: a waker notes the wake, and sets the event if the wake is the first one since the last poll. The loop sleeps only in that
/// event, and looks for a noted wake after each sleep (T71). The event of a wake that a poll has found without a sleep ends a later sleep
/// early; that poll finds nothing and sleeps on (T78).</para>
/// </remarks>
[SuppressMessage("Design", "CA1001", Justification = "The event is left to its finalizer: a waker may be inside when the loop closes (T72).")]
internal sealed unsafe class ManagedEventLoop
{
    /// <summary>NTH_POLL_MIN_EVENTS.</summary>
    public const int FewestEvents = 8;

    private const int NoSuchTimer = -2; // -ENOENT

    private readonly AutoResetEvent _event = new(initialState: false);
    private readonly TimerHeap _timers = new();
    private NativeEvent* _events; // of the current poll
    private int _capacity;
    private int _count;
    private long _polls;
    private int _isWoken; // a wake that no poll has reported
    private long _sets;
    private long _sleeps;
    private long _setsTaken;

    /// <summary>Waits for the event, sets of it, and sets that a wait has taken, in the place of system calls.</summary>
    public EventLoopStats Stats => new() { Waits = Volatile.Read(ref _sleeps), Writes = Volatile.Read(ref _sets), Reads = Volatile.Read(ref _setsTaken) };

    /// <summary>Makes the current or the next poll report a wake. 1: the event was set; 0: that was not needed.</summary>
    public int Wake()
    {
        if (Interlocked.Exchange(ref _isWoken, 1) != 0)
        {
            return 0;
        }

        Chaos.Point("ManagedEventLoop.Wake, noted");
        Interlocked.Increment(ref _sets);
        _event.Set();
        return 1;
    }

    public int Poll(NativeEvent* events, int capacity, long timeoutNanoseconds)
    {
        Debug.Assert(capacity >= FewestEvents);
        _events = events;
        _capacity = capacity;
        _count = 0;
        _polls++;
        ReportWake();
        long now = MonotonicClock.Now;
        long deadline = Math.Min(_timers.Next, MonotonicClock.After(timeoutNanoseconds));
        while (timeoutNanoseconds != 0 && _count == 0 && now < deadline)
        {
            Volatile.Write(ref _sleeps, _sleeps + 1);
            Volatile.Write(ref _setsTaken, _setsTaken + (UninterruptedWait.One(_event, deadline) ? 1 : 0));
            Chaos.Point("ManagedEventLoop.Poll, awake");
            ReportWake();
            now = MonotonicClock.Now;
        }

        while (_count < _capacity && _timers.TakeDue(now) is { } due)
        {
            due.Event = (_polls, _count);
            Append(due.Token, NativeEventKind.Timer);
        }

        return _count;
    }

    public long CreateTimer(ulong token) => _timers.Create(token);

    public int ArmTimer(long timer, long deadline)
    {
        if (_timers.Find(timer) is not { } found)
        {
            return NoSuchTimer;
        }

        StrikeOut(found);
        _timers.Arm(found, deadline);
        return 0;
    }

    /// <summary>1: it was armed, or its event was in the current batch and is struck out now; 0: neither.</summary>
    public int CancelTimer(long timer) =>
        _timers.Find(timer) is not { } found ? NoSuchTimer : _timers.Disarm(found) | StrikeOut(found) ? 1 : 0;

    public int DestroyTimer(long timer)
    {
        int result = CancelTimer(timer);
        _timers.Release(timer);
        return Math.Min(result, 0);
    }

    private void ReportWake()
    {
        if (Volatile.Read(ref _isWoken) != 0)
        {
            Interlocked.Exchange(ref _isWoken, 0);
            Append(0, NativeEventKind.Wake);
        }
    }

    private void Append(ulong token, NativeEventKind kind) => _events[_count++] = new NativeEvent { Token = token, Kind = kind };

    /// <summary>Strikes out a timer's event that its caller has not read yet (T76). <see langword="true"/> if there was one.</summary>
    private bool StrikeOut(TimerHeap.Timer timer)
    {
        (long poll, int index) = timer.Event;
        timer.Event = default;
        if (poll == 0 || poll != _polls || _events[index].Kind == NativeEventKind.None)
        {
            return false;
        }

        _events[index].Kind = NativeEventKind.None;
        return true;
    }
}
