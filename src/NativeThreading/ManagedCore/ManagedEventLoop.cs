using NativeThreading.Interop;
using NativeThreading.Waiting;

namespace NativeThreading.ManagedCore;

/// <summary>Wakes and timers in one poll, in C#; no descriptors. Contracts and results are those of native_threading.h. Belongs to the thread
/// that polls it; only <see cref="Wake"/> and <see cref="Stats"/> are for any thread. As native/src/event_loop_poll.c.</summary>
/// <remarks>A pending wake comes first, then at most one sleep, then the timers due, and all are in the caller's array before the caller runs.
/// So a timer that is armed from its own callback, or a wake from the loop itself, waits for the next poll (T74). The clock is read when the
/// poll begins and after each sleep (T77).</remarks>
internal sealed unsafe class ManagedEventLoop
{
    /// <summary>NTH_POLL_MIN_EVENTS.</summary>
    public const int FewestEvents = 8;

    private const int NoSuchTimer = -2; // -ENOENT
    private const int Invalid = -22; // -EINVAL

    private readonly LoopSleep _sleep = new();
    private readonly TimerHeap _timers = new();
    private PollBatch _batch;
    private LingerCredit _credit = new();
    private long _linger = -1; // not yet known
    private long _sleeps;
    private long _setsTaken;
    private long _lingers;
    private bool _closed;

    /// <summary>Waits, sets and sets taken, in the place of system calls.</summary>
    public EventLoopStats Stats =>
        new() { Waits = Volatile.Read(ref _sleeps), Writes = _sleep.Sets, Reads = Volatile.Read(ref _setsTaken), Lingers = Volatile.Read(ref _lingers) };

    public void Close()
    {
        _closed = true;
        _sleep.Close();
    }

    /// <summary>1: an event was set; 0: that was not needed; -ESHUTDOWN. <paramref name="always"/>: set it even where the loop is awake.</summary>
    public int Wake(bool always) => _sleep.Wake(always) switch
    {
        null => -NativeCore.EShutdown,
        true => 1,
        false => 0,
    };

    public int Poll(NativeEvent* events, int capacity, long timeoutNanoseconds, bool outstanding)
    {
        if (_closed || capacity < FewestEvents)
        {
            return _closed ? -NativeCore.EShutdown : Invalid;
        }

        _batch.Begin(events, capacity);
        if (_sleep.TryTake())
        {
            ReportWake();
        }

        bool waits = timeoutNanoseconds != 0 && _batch.Count == 0;
        if (!waits && _timers.Armed == 0)
        {
            return _batch.Count; // no clock is needed
        }

        long now = MonotonicClock.Now;
        if (waits && _timers.Next > now)
        {
            now = SleepUntil(now, Math.Min(_timers.Next, MonotonicClock.After(timeoutNanoseconds)), outstanding);
        }

        _timers.TakeDue(now, ref _batch);
        return _batch.Count;
    }

    public long CreateTimer(ulong token) => _closed ? -NativeCore.EShutdown : _timers.Create(token);

    public int ArmTimer(long timer, long deadline)
    {
        int row = _timers.Find(timer);
        if (_closed || deadline < 0 || row < 0)
        {
            return _closed ? -NativeCore.EShutdown : deadline < 0 ? Invalid : NoSuchTimer;
        }

        _batch.StrikeOut(ref _timers.EntryOf(row));
        _timers.Arm(row, deadline);
        return 0;
    }

    /// <summary>1: it was armed, or its event was in the current batch and is struck out now; 0: neither.</summary>
    public int CancelTimer(long timer)
    {
        int row = _timers.Find(timer);
        if (_closed || row < 0)
        {
            return _closed ? -NativeCore.EShutdown : NoSuchTimer;
        }

        return _timers.Disarm(row) | _batch.StrikeOut(ref _timers.EntryOf(row)) ? 1 : 0;
    }

    public int DestroyTimer(long timer)
    {
        int result = CancelTimer(timer);
        if (result < 0)
        {
            return result;
        }

        _timers.Release(_timers.Find(timer));
        return 0;
    }

    /// <summary>Blocks until there is an event or the deadline. Returns the time. The batch is empty.</summary>
    private long SleepUntil(long now, long deadline, bool outstanding)
    {
        long from = now;
        if (outstanding && TryBeginLinger())
        {
            now = Linger(now, deadline);
            from = now;
        }

        bool slept = false;
        while (_batch.Count == 0 && now < deadline)
        {
            SleepOnce(deadline);
            now = MonotonicClock.Now;
            slept = true;
        }

        if (slept && outstanding && _batch.Count > 0)
        {
            _credit.NoteGap(now - from, Math.Max(0, _linger));
        }

        return now;
    }

    private void SleepOnce(long deadline)
    {
        if (!_sleep.TryBlock())
        {
            if (_sleep.TryTake())
            {
                ReportWake();
            }

            return;
        }

        Volatile.Write(ref _sleeps, _sleeps + 1);
        bool set = _sleep.Sleep(deadline);
        Volatile.Write(ref _setsTaken, _setsTaken + (set ? 1 : 0));
        Chaos.Point("ManagedEventLoop.SleepOnce, awake");
        if (_sleep.EndBlock())
        {
            ReportWake();
        }
    }

    private bool TryBeginLinger()
    {
        _linger = _linger < 0 ? ManagedWakeLatency.Nanoseconds : _linger;
        return _linger > 0 && _credit.Any && ManagedLingerBudget.TryTake(LingerKind.Completion);
    }

    /// <summary>Polls the word for about as long as a wake takes. BLOCKED stays clear, so wakers set no event. Returns the time.</summary>
    private long Linger(long now, long deadline)
    {
        Volatile.Write(ref _lingers, _lingers + 1);
        long end = Math.Min(now + _linger, deadline);
        long freeUntil = now + SpinTuning.FreePollingNs;
        while (_batch.Count == 0 && now < end)
        {
            SpinRule.Pause(SpinRule.Yields(now >= freeUntil, crowded: true)); // whoever completes may need this very processor
            if (_sleep.TryTake())
            {
                ReportWake();
            }

            now = MonotonicClock.Now;
        }

        _credit.NoteLinger(_batch.Count > 0);
        ManagedLingerBudget.Return(LingerKind.Completion);
        return now;
    }

    private void ReportWake()
    {
        BatchEntry unused = default;
        _batch.Append(ref unused, 0, NativeEventKind.Wake);
    }
}
