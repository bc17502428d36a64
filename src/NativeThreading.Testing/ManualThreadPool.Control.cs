using NativeThreading.Diagnostics;

namespace NativeThreading.Testing;

// Options for the work that is queued, and what holds work back: a pause, and the limit of operations.
public sealed partial class ManualThreadPool
{
    /// <summary>Gets the most operations in flight, or <see langword="null"/> if there is no limit.</summary>
    public int? MaxConcurrentOperations { get; }

    /// <summary>Gets whether the pool is paused.</summary>
    public bool IsPaused => _queue.IsPaused;

    /// <summary>Who observes the pool's work, or <see langword="null"/>.</summary>
    internal WorkObservation? Observation { get; }

    WorkObservation? IObservedScheduler.Observation => Observation;

    /// <summary>Whether what the calling thread queues is new work, and not a part of an item that runs.</summary>
    internal bool IsOutside => Current != this || ManualWorkItem.IsDue;

    /// <summary>Holds back work that has not started, until <see cref="Resume()"/>: the test cannot run it. Continuations and what items queue run as before. Does
    /// nothing if the pool is paused or shuts down.</summary>
    /// <remarks>As <see cref="NativeThreadPool.Pause"/>. Held items count in <see cref="PendingWorkItemCount"/>.</remarks>
    /// <example><code>
    /// var pool = new ManualThreadPool();
    /// pool.Pause();
    /// Task held = pool.Run(() =&gt; Console.WriteLine("held"));
    /// pool.RunAll(); // runs nothing
    /// pool.Resume();
    /// pool.RunAll();
    /// </code></example>
    public void Pause()
    {
        if (Volatile.Read(ref _isDraining) == 0)
        {
            _queue.IsPaused = true;
            if (Volatile.Read(ref _isDraining) != 0)
            {
                Resume(); // a shutdown that started meanwhile may have resumed the pool before this pause
            }
        }
    }

    /// <summary>Ends a pause. Does nothing if the pool is not paused.</summary>
    public void Resume() => _queue.IsPaused = false;

    /// <inheritdoc/>
    /// <remarks>Of waiting items, those with a higher priority run first, whatever runs; nothing is neglected for the sake of a bound. A time limit is that
    /// of <see cref="Clock"/>. A raw item that has expired, or whose token was cancelled, stays in the queue and does nothing.</remarks>
    public IWorkScheduler WithOptions(WorkOptions options)
    {
        if (!Enum.IsDefined(options.Priority))
        {
            throw Error(nameof(options.Priority), options.Priority, "Low, Normal or High");
        }

        if (options.StartWithin is { } limit && limit < TimeSpan.Zero && limit != Timeout.InfiniteTimeSpan)
        {
            throw Error(nameof(options.StartWithin), limit, "0 or more, or Timeout.InfiniteTimeSpan");
        }

        return options == default ? this : new ManualWorkView(this, _queue, options);

        static ArgumentOutOfRangeException Error(string name, object value, string range) => new(name, value, $"{name} must be {range}, but was {value}.");
    }
}
