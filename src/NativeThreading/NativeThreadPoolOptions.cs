using System.ComponentModel.DataAnnotations;

namespace NativeThreading;

/// <summary>How a <see cref="NativeThreadPool"/> is set up. Read once, when the pool is created.</summary>
public sealed class NativeThreadPoolOptions : IValidatableObject
{
    /// <summary>The most threads that may run, and the most that may be blocked.</summary>
    public const int ThreadLimit = 32_767;

    /// <summary>
    /// The pool's name: the prefix of its threads' names (<c>{Name}-worker-{n}</c>) and the tag of its diagnostics.
    /// </summary>
    public string Name { get; set; } = "native";

    /// <summary>Threads that stay when the pool is idle; they too start on demand. 0 to <see cref="MaxThreads"/>; 0 by default.</summary>
    public int MinThreads { get; set; }

    /// <summary>
    /// Threads that may run at once; blocked ones do not count (<see cref="MaxBlockedThreads"/>). 1 to
    /// <see cref="ThreadLimit"/>; the number of processors by default.
    /// </summary>
    public int MaxThreads { get; set; } = Environment.ProcessorCount;

    /// <summary>
    /// Threads that may be blocked at once beside the <see cref="MaxThreads"/> that run: each worker that is found blocked
    /// while work waits is replaced within milliseconds, until there are this many. 0 to <see cref="ThreadLimit"/>; 0
    /// replaces nobody; 1,000 by default.
    /// </summary>
    public int MaxBlockedThreads { get; set; } = 1_000;

    /// <summary>
    /// How long a thread above <see cref="MinThreads"/> stays without work. Positive, or
    /// <see cref="Timeout.InfiniteTimeSpan"/>; 20 seconds by default.
    /// </summary>
    public TimeSpan IdleTimeout { get; set; } = TimeSpan.FromSeconds(20);

    /// <summary>
    /// How long a worker without work polls for more before it parks; at most one thread of the whole process does so.
    /// 0 to 10 ms; <see cref="TimeSpan.Zero"/> turns it off; <see langword="null"/>, the default, takes the measured
    /// latency of a wake.
    /// </summary>
    public TimeSpan? LingerTime { get; set; }

    /// <summary>
    /// The priority of the pool's threads. On Linux it becomes the thread's nice value (15, 5, 0, -5, -10); a refusal by
    /// the system leaves the thread as it is and is reported by the event source <c>NativeThreading</c>.
    /// </summary>
    public ThreadPriority ThreadPriority { get; set; } = ThreadPriority.Normal;

    /// <summary>The stack size of the pool's threads in bytes: 0, the default, for the system's, else at least 256 KiB.</summary>
    public int MaxStackSize { get; set; }

    /// <summary>
    /// How many items may wait, accepted and not begun; continuations of work that has begun do not count and are never
    /// refused. 1 to <see cref="int.MaxValue"/>; <see langword="null"/>, the default, sets no limit and costs nothing.
    /// </summary>
    public int? QueueLimit { get; set; }

    /// <summary>
    /// What becomes of a queueing call while <see cref="QueueLimit"/> items wait; <see cref="QueueFullMode.Reject"/> by
    /// default. Without a limit it has no effect.
    /// </summary>
    public QueueFullMode QueueFullMode { get; set; } = QueueFullMode.Reject;

    /// <summary>
    /// Asked about each exception that a raw work item does not handle, as an exception filter: on the worker's thread,
    /// before the stack unwinds; for an item that outlived its pool, on the runtime's. <see langword="true"/>: handled, the
    /// worker goes on. <see langword="false"/>, or no handler: the exception is unhandled, which ends the process, as it does
    /// with the runtime's pool.
    /// </summary>
    public Func<Exception, bool>? UnhandledException { get; set; }

    /// <summary>
    /// Whether the pool measures how long each item waits in its queues: the histogram
    /// <c>native_threading.pool.queue.duration</c>. <see langword="false"/> by default. Where it is <see langword="true"/>
    /// and somebody listens, an item costs one object of 32 bytes and two looks at the clock; else nothing.
    /// </summary>
    public bool MeasureQueueDuration { get; set; }

    /// <summary>Everything that is out of its range, for whoever validates options before a pool is created with them.</summary>
    IEnumerable<ValidationResult> IValidatableObject.Validate(ValidationContext validationContext)
    {
        OptionErrors errors = Errors();
        errors.UnlessNamed(nameof(Name), Name);
        return errors.Results;
    }

    internal NativeThreadPoolOptions Validated()
    {
        ArgumentException.ThrowIfNullOrWhiteSpace(Name);
        Errors().ThrowIfAny();
        return (NativeThreadPoolOptions)MemberwiseClone();
    }

    private OptionErrors Errors()
    {
        var errors = new OptionErrors();
        errors.UnlessInRange(nameof(MaxThreads), MaxThreads, 1, ThreadLimit);
        errors.UnlessInRange(nameof(MinThreads), MinThreads, 0, MaxThreads is >= 1 and <= ThreadLimit ? MaxThreads : ThreadLimit);
        errors.UnlessInRange(nameof(MaxBlockedThreads), MaxBlockedThreads, 0, ThreadLimit);
        if (IdleTimeout <= TimeSpan.Zero && IdleTimeout != Timeout.InfiniteTimeSpan)
        {
            errors.Add(nameof(IdleTimeout), IdleTimeout, "positive or Timeout.InfiniteTimeSpan");
        }

        if (LingerTime is { } linger && (linger < TimeSpan.Zero || linger > TimeSpan.FromMilliseconds(10)))
        {
            errors.Add(nameof(LingerTime), linger, "between 0 and 10 ms, or null");
        }

        if (QueueLimit is { } limit)
        {
            errors.UnlessInRange(nameof(QueueLimit), limit, 1, int.MaxValue);
        }

        errors.UnlessDefined(nameof(QueueFullMode), QueueFullMode);
        errors.UnlessDefined(nameof(ThreadPriority), ThreadPriority);
        errors.UnlessStackSize(nameof(MaxStackSize), MaxStackSize);
        return errors;
    }
}
