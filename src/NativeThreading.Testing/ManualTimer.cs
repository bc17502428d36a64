namespace NativeThreading.Testing;

/// <summary>A timer of a <see cref="ManualClock"/>, with the ranges of <see cref="System.Threading.Timer"/>.</summary>
internal sealed class ManualTimer(ManualClock clock, ManualThreadPool pool, TimerCallback callback, object? state) : ITimer
{
    internal const long MaxMilliseconds = uint.MaxValue - 1;

    private readonly ExecutionContext? _context = ExecutionContext.Capture();
    private readonly Queue<ManualWorkItem> _fired = []; // under the clock's lock
    private int _isDisposed;

    /// <summary>Earliest first; equal ones as they were set.</summary>
    public static IComparer<ManualTimer> ByDueTime { get; } = Comparer<ManualTimer>.Create(static (x, y) =>
        (x.DueTime, x.Number).CompareTo((y.DueTime, y.Number)));

    /// <summary>The timestamp at which it fires next; under the clock's lock, like the others.</summary>
    public long DueTime { get; set; }

    /// <summary>How many timers were set before it.</summary>
    public long Number { get; set; }

    /// <summary>In ticks; 0 or less fires once.</summary>
    public long Period { get; set; }

    public bool Change(TimeSpan dueTime, TimeSpan period)
    {
        long due = Ticks(dueTime, nameof(dueTime));
        long every = Ticks(period, nameof(period));
        if (Volatile.Read(ref _isDisposed) != 0)
        {
            return false;
        }

        clock.Set(this, due, every);
        return true;
    }

    public void Dispose()
    {
        if (Interlocked.Exchange(ref _isDisposed, 1) == 0)
        {
            clock.Set(this, dueTime: -1, period: -1);
        }
    }

    public ValueTask DisposeAsync()
    {
        Dispose();
        return default;
    }

    /// <summary>Queues one callback; under the clock's lock.</summary>
    public void Fire()
    {
        while (_fired.TryPeek(out ManualWorkItem? oldest) && oldest.Node.List is null)
        {
            _fired.Dequeue(); // it has run
        }

        var item = new ManualWorkItem(callback.Invoke, state, _context) { IsContinuation = true };
        _fired.Enqueue(item);
        pool.Add(item);
    }

    /// <summary>Takes out of the pool's queue what has fired and not run; under the clock's lock.</summary>
    public void TakeBack()
    {
        while (_fired.TryDequeue(out ManualWorkItem? item))
        {
            pool.Remove(item);
        }
    }

    /// <summary>As System.Threading.Timer judges: by whole milliseconds, towards zero.</summary>
    private static long Ticks(TimeSpan time, string name) => (long)time.TotalMilliseconds switch
    {
        -1 => -1,
        >= 0 and <= MaxMilliseconds => Math.Max(time.Ticks, 0),
        _ => throw RangeError(name, time, $"between 0 and {MaxMilliseconds} ms, or Timeout.InfiniteTimeSpan"),
    };

    internal static ArgumentOutOfRangeException RangeError(string name, TimeSpan time, string range) =>
        new(name, time, $"{name} must be {range}, but was {time}.");
}
