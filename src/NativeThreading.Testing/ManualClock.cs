namespace NativeThreading.Testing;

/// <summary>A clock that the test moves. Timers of this <see cref="TimeProvider"/> fire in the order of their due times, each at exactly its time;
/// timers with equal due times fire in the order in which they were set. Their callbacks are items of the pool.</summary>
/// <remarks>Any thread may call any member.</remarks>
/// <example>
/// <code>
/// var pool = new ManualThreadPool();
/// Task delay = Task.Delay(TimeSpan.FromMinutes(1), pool.Clock);
/// pool.RunFor(TimeSpan.FromMinutes(1)); // takes no time
/// Console.WriteLine(delay.IsCompleted);
/// </code>
/// </example>
public sealed class ManualClock : TimeProvider
{
    private static readonly DateTimeOffset s_epoch = new(2000, 1, 1, 0, 0, 0, TimeSpan.Zero);

    private readonly ManualThreadPool _pool;
    private readonly Lock _lock = new();
    private readonly SortedSet<ManualTimer> _armed = new(ManualTimer.ByDueTime);
    private long _now;
    private long _number = 1; // a timer that was never armed has 0: it must not be taken for the first one

    internal ManualClock(ManualThreadPool pool) => _pool = pool;

    /// <summary>Gets the number of timestamp units in a second: those of <see cref="TimeSpan"/>.</summary>
    public override long TimestampFrequency => TimeSpan.TicksPerSecond;

    /// <summary>Gets UTC, on every machine.</summary>
    public override TimeZoneInfo LocalTimeZone => TimeZoneInfo.Utc;

    /// <summary>Gets the number of timers that are set and will fire again. A timer that the tested code forgot to dispose counts here.</summary>
    public int ActiveTimerCount
    {
        get
        {
            lock (_lock)
            {
                return _armed.Count;
            }
        }
    }

    /// <summary>Gets when the next timer is due; <see langword="null"/> if no timer is set.</summary>
    public DateTimeOffset? NextDueTime
    {
        get
        {
            lock (_lock)
            {
                return _armed.Min is { } next ? s_epoch.AddTicks(next.DueTime) : null;
            }
        }
    }

    /// <summary>Returns the time of the clock. It starts at the beginning of the year 2000.</summary>
    /// <returns>The current time, in UTC.</returns>
    public override DateTimeOffset GetUtcNow() => s_epoch.AddTicks(GetTimestamp());

    /// <summary>Returns how far the test has moved the clock.</summary>
    /// <returns>The time since the start, in ticks of 100 ns.</returns>
    public override long GetTimestamp() => Volatile.Read(ref _now);

    /// <summary>Advances the clock. Each timer queues its callback to the pool each time it becomes due meanwhile; the test runs the callbacks later.
    /// If a callback sets the next timer, use <see cref="ManualThreadPool.RunFor"/> instead.</summary>
    /// <param name="time">The time by which the clock advances; 0 or more.</param>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="time"/> is negative, or beyond the year 9999.</exception>
    public void Advance(TimeSpan time)
    {
        long end = After(time);
        while (TryFireNext(end))
        {
        }
    }

    /// <summary>Creates a timer.</summary>
    /// <param name="callback">The callback. It runs as an item of the pool, in the execution context of this call.</param>
    /// <param name="state">The argument of the callback.</param>
    /// <param name="dueTime">The time until the first callback, as with <see cref="Timer"/>.</param>
    /// <param name="period">The time between callbacks, as with <see cref="Timer"/>.</param>
    /// <returns>
    /// A timer. After it is changed or disposed, no callback of its earlier setting runs: such callbacks are taken out of the pool's queue.
    /// </returns>
    /// <exception cref="ArgumentNullException"><paramref name="callback"/> is null.</exception>
    /// <exception cref="ArgumentOutOfRangeException">A time is out of its range.</exception>
    public override ITimer CreateTimer(TimerCallback callback, object? state, TimeSpan dueTime, TimeSpan period)
    {
        ArgumentNullException.ThrowIfNull(callback);
        var timer = new ManualTimer(this, _pool, callback, state);
        timer.Change(dueTime, period);
        return timer;
    }

    /// <summary>The timestamp at the end of that time.</summary>
    internal long After(TimeSpan time)
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(time, TimeSpan.Zero);
        long now = GetTimestamp();
        ArgumentOutOfRangeException.ThrowIfGreaterThan(time, DateTimeOffset.MaxValue - s_epoch.AddTicks(now));
        return now + time.Ticks;
    }

    /// <summary>Moves on to the next timer and fires it; to the end, and <see langword="false"/>, if there is none before.</summary>
    internal bool TryFireNext(long end)
    {
        lock (_lock)
        {
            if (_armed.Min is not { } next || next.DueTime > end)
            {
                Volatile.Write(ref _now, Math.Max(_now, end));
                return false;
            }

            Volatile.Write(ref _now, Math.Max(_now, next.DueTime));
            _armed.Remove(next);
            next.Fire();
            if (next.Period > 0)
            {
                Arm(next, next.DueTime + next.Period);
            }

            return true;
        }
    }

    /// <summary>Sets a timer anew; a negative time: not at all. Returns after its waiting callbacks have been taken out.</summary>
    internal void Set(ManualTimer timer, long dueTime, long period)
    {
        lock (_lock)
        {
            _armed.Remove(timer);
            timer.TakeBack();
            timer.Period = period;
            if (dueTime >= 0)
            {
                Arm(timer, _now + dueTime);
            }
        }
    }

    private void Arm(ManualTimer timer, long dueTime)
    {
        timer.DueTime = dueTime;
        timer.Number = _number++;
        _armed.Add(timer);
    }
}
