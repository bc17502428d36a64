using System.ComponentModel.DataAnnotations;
using System.Globalization;

namespace NativeThreading;

/// <summary>Options of a <see cref="NativeThreadPool"/>. They are read once, when the pool is created. Not thread-safe; the constructor of the pool, not a
/// property, throws if a value is out of range.</summary>
/// <example>
/// <code>
/// var options = new NativeThreadPoolOptions { Name = "reports", MaxThreads = 4, QueueLimit = 1_000, QueueFullMode = QueueFullMode.Wait };
/// await using var pool = new NativeThreadPool(options);
/// </code>
/// </example>
public sealed class NativeThreadPoolOptions : IValidatableObject
{
    /// <summary>The upper limit of <see cref="MaxThreads"/> and of <see cref="MaxBlockedThreads"/>.</summary>
    public const int ThreadLimit = 32_767;

    /// <summary>
    /// Gets or sets the pool's name: the prefix of its threads' names (<c>{Name}-worker-{n}</c>) and the tag of its diagnostics. Not empty;
    /// <c>native</c> by default.
    /// </summary>
    public string Name { get; set; } = "native";

    /// <summary>Gets or sets the number of threads that stay when the pool is idle; they start on demand, too. Between 0 and
    /// <see cref="MaxThreads"/>; 0 by default.</summary>
    public int MinThreads { get; set; }

    /// <summary>
    /// Gets or sets the number of threads that may run at once; blocked threads do not count (<see cref="MaxBlockedThreads"/>). Between 1 and
    /// <see cref="ThreadLimit"/>; the number of processors by default.
    /// </summary>
    public int MaxThreads { get; set; } = Environment.ProcessorCount;

    /// <summary>
    /// Gets or sets the number of threads that may be blocked at once, in addition to the <see cref="MaxThreads"/> running ones. While work
    /// waits, each blocked worker is replaced within milliseconds, until this number is reached. Between 0 and <see cref="ThreadLimit"/>; with 0
    /// no worker is replaced; 1,000 by default.
    /// </summary>
    public int MaxBlockedThreads { get; set; } = 1_000;

    /// <summary>
    /// Gets or sets the most rescue threads, which exist beyond <see cref="MaxThreads"/> and <see cref="MaxBlockedThreads"/>. 0 to
    /// <see cref="ThreadLimit"/>; 0 turns rescue off. <see langword="null"/>, the default, means as many as <see cref="MaxBlockedThreads"/>.
    /// </summary>
    /// <remarks>
    /// If all threads that the limits allow are blocked, and work that continues has waited for 100 ms, it runs on rescue threads: continuations
    /// of async methods, <see cref="NativeThreadPool.UnsafeQueueContinuation"/>, and items that items of the pool have queued. A blocked thread may
    /// wait for one of these. New work never runs there. If <see cref="MaxBlockedThreads"/> is 0, the pool has no rescue threads, and this option has
    /// no effect.
    /// </remarks>
    public int? MaxRescueThreads { get; set; }

    /// <summary>
    /// Gets or sets how long an idle thread above <see cref="MinThreads"/> stays. Positive, or
    /// <see cref="Timeout.InfiniteTimeSpan"/>; 20 seconds by default.
    /// </summary>
    public TimeSpan IdleTimeout { get; set; } = TimeSpan.FromSeconds(20);

    /// <summary>
    /// Gets or sets how long an idle worker polls for work before it parks; at most one thread of the whole process polls at a time.
    /// Between 0 and 10 ms; <see cref="TimeSpan.Zero"/> disables polling; <see langword="null"/>, the default, uses the measured
    /// wake-up latency, and with one processor lets other threads run once.
    /// </summary>
    public TimeSpan? LingerTime { get; set; }

    /// <summary>
    /// Gets or sets the priority of the pool's threads; <see cref="System.Threading.ThreadPriority.Normal"/> by default. On Linux it becomes the
    /// nice value of the thread (15, 5, 0, -5, -10). If the system does not allow the value, the thread keeps its default, and the event source
    /// <c>NativeThreading</c> reports this.
    /// </summary>
    /// <remarks>
    /// <para><see cref="ThreadPriority.Normal"/>, the default, is the nice value of the process, whichever thread starts the pool's threads.</para>
    /// <para>On Linux a thread inherits the nice value of the thread that starts it. A pool's items may start threads of their own, and queue to
    /// the built-in thread pool, which may start one then. Such threads keep the value of a pool with a lower priority.</para>
    /// </remarks>
    public ThreadPriority ThreadPriority { get; set; } = ThreadPriority.Normal;

    /// <summary>
    /// Gets or sets the processors that the pool's threads may run on, numbered from 0. <see langword="null"/>, the default, means all processors of
    /// the process. Each number is 0 to 8,191 and occurs once; on Windows all belong to one group of 64.
    /// </summary>
    /// <remarks>
    /// <para>The native core on Linux and Windows can do this. On macOS, on the managed core, and if the process may use none of the processors, the
    /// threads run on all of them, and the event source <c>NativeThreading</c> reports this once.</para>
    /// <para><see cref="MaxThreads"/> does not follow: set it to the number of processors, too. With one processor set <see cref="LingerTime"/> to
    /// <see cref="TimeSpan.Zero"/>.</para>
    /// <para>On Linux a thread inherits the processors of the thread that starts it. Threads of pools and event loops take back what they inherited.
    /// Threads that items start themselves keep it, and so may a thread of the built-in thread pool that an item's call starts.</para>
    /// </remarks>
    /// <example><code>var options = new NativeThreadPoolOptions { Name = "audio", Processors = [2, 3], MaxThreads = 2 };</code></example>
    public IReadOnlyList<int>? Processors { get; set; }

    /// <summary>Gets or sets the COM apartment of the pool's threads on Windows; <see cref="ApartmentState.Unknown"/>, the default, leaves it to the
    /// runtime. A pool with any other value cannot be created on other systems.</summary>
    /// <remarks>In a single-threaded apartment a wait of an item pumps messages.</remarks>
    public ApartmentState ApartmentState { get; set; } = ApartmentState.Unknown;

    /// <summary>
    /// Gets or sets the <see cref="CultureInfo.CurrentCulture"/> of the pool's threads. <see langword="null"/>, the default, means the culture of the process.
    /// </summary>
    /// <remarks>A culture that a caller has set flows to its items and takes precedence, as everywhere in .NET. Tasks that are started through
    /// <see cref="NativeThreadPool.Scheduler"/> or <see cref="NativeThreadPool.Factory"/> have the culture of the code that created them. Work that runs
    /// on its caller or on the built-in thread pool does not have the pool's culture.</remarks>
    public CultureInfo? Culture { get; set; }

    /// <summary>Gets or sets the <see cref="CultureInfo.CurrentUICulture"/> of the pool's threads, in the same way as <see cref="Culture"/>.</summary>
    public CultureInfo? UICulture { get; set; }

    /// <summary>Gets or sets the stack size of the pool's threads in bytes. 0, the default, means the system's size; otherwise at least 256 KiB.</summary>
    public int MaxStackSize { get; set; }

    /// <summary>
    /// Gets or sets the limit of waiting items, which are accepted and have not started. Continuations of started work do not count and are never
    /// rejected. Between 1 and <see cref="int.MaxValue"/>; <see langword="null"/>, the default, means no limit and has no cost.
    /// </summary>
    public int? QueueLimit { get; set; }

    /// <summary>
    /// Gets or sets how queueing calls behave while <see cref="QueueLimit"/> items wait; <see cref="QueueFullMode.Reject"/> by
    /// default. It has no effect without a limit.
    /// </summary>
    public QueueFullMode QueueFullMode { get; set; } = QueueFullMode.Reject;

    /// <summary>
    /// Gets or sets how many operations may be in flight at once: calls of <c>Run</c> and <c>RunAsync</c> with an async function, until the task of the
    /// function completes. Others wait in order, without threads. Between 1 and <see cref="int.MaxValue"/>; <see langword="null"/>, the default, means
    /// no limit and has no cost.
    /// </summary>
    /// <remarks>
    /// An operation that another operation of the pool starts does not count, because the outer one may wait for it. An operation that waits counts as
    /// a waiting item: it holds its permit of <see cref="QueueLimit"/> until its function is called. An operation that a full queue runs on its caller
    /// (<see cref="QueueFullMode.RunOnCaller"/>) does not wait and does not count.
    /// </remarks>
    public int? MaxConcurrentOperations { get; set; }

    /// <summary>
    /// Gets or sets a function that is called for each exception that a raw work item does not handle. It is called as an exception filter, on
    /// the worker's thread and before the stack unwinds; for an item that outlives its pool, on the built-in thread pool. If it returns
    /// <see langword="true"/>, the exception is handled and the worker continues. If it returns <see langword="false"/>, or if there is no
    /// function, the exception is unhandled and ends the process, as on the built-in thread pool.
    /// </summary>
    public Func<Exception, bool>? UnhandledException { get; set; }

    /// <summary>
    /// Gets or sets a function that each thread of the pool calls when it starts, before its first item; rescue threads and threads of
    /// <see cref="TaskCreationOptions.LongRunning"/> tasks, too. If it throws, the event source <c>NativeThreading</c> reports the exception, and the
    /// thread runs items all the same.
    /// </summary>
    /// <remarks>The first item of a new thread waits for the function. <see cref="AsyncLocal{T}"/> values and the
    /// <see cref="SynchronizationContext"/> that it sets are reset; thread statics stay.</remarks>
    /// <example><code>var options = new NativeThreadPoolOptions { ThreadStarting = static pool => AttachThread() };</code></example>
    public Action<NativeThreadPool>? ThreadStarting { get; set; }

    /// <summary>
    /// Gets or sets a function that each thread of the pool calls when it ends, after its last item. A shutdown without a token waits for it. If it throws, the
    /// event source <c>NativeThreading</c> reports the exception.
    /// </summary>
    /// <example><code>var options = new NativeThreadPoolOptions { ThreadStopping = static pool => DetachThread() };</code></example>
    public Action<NativeThreadPool>? ThreadStopping { get; set; }

    /// <summary>
    /// Gets or sets whether the pool measures how long each item waits in its queues, for the histogram
    /// <c>native_threading.pool.queue.duration</c>. <see langword="false"/> by default. If it is <see langword="true"/>
    /// and a listener is attached, an item costs one object of 32 bytes and two reads of the clock; otherwise it has no cost.
    /// </summary>
    public bool MeasureQueueDuration { get; set; }

    /// <summary>
    /// Gets or sets when the pool records which method each item runs and how long the item waited; <see cref="ItemRecording.WhenObserved"/> by
    /// default. With <see cref="ItemRecording.Always"/> each item costs some 80 ns more, and names are known before an observer exists.
    /// </summary>
    public ItemRecording RecordItems { get; set; }

    /// <summary>Gets or sets whether the pool makes spans of its work for listeners of the <see cref="System.Diagnostics.ActivitySource"/>
    /// <c>NativeThreading</c>: one for the wait in the queue, one for the run. <see langword="false"/> by default. Without a listener the only cost is
    /// one check per item.</summary>
    /// <remarks>Both spans are children of the activity that was current when the work was queued. The activity of the run is current in the work's code,
    /// so spans of that code are its children. <see cref="IWorkObserver"/> says what counts as one piece of work.</remarks>
    /// <example><code>var pool = new NativeThreadPool(new NativeThreadPoolOptions { Name = "reports", TraceItems = true });</code></example>
    public bool TraceItems { get; set; }

    /// <summary>Gets or sets an observer of the pool's work; <see langword="null"/>, the default, has no cost.</summary>
    public IWorkObserver? WorkObserver { get; set; }

    /// <summary>Returns an error for each option that is out of range, for frameworks that validate options before a pool is created.</summary>
    IEnumerable<ValidationResult> IValidatableObject.Validate(ValidationContext validationContext)
    {
        OptionErrors errors = Errors();
        errors.UnlessNamed(nameof(Name), Name);
        return errors.Results;
    }

    /// <summary>The most rescue threads that a pool with these options has.</summary>
    internal int EffectiveMaxRescueThreads => MaxBlockedThreads == 0 ? 0 : MaxRescueThreads ?? MaxBlockedThreads;

    internal NativeThreadPoolOptions Validated()
    {
        ArgumentException.ThrowIfNullOrWhiteSpace(Name);
        Errors().ThrowIfAny();
        if (ApartmentState != ApartmentState.Unknown && !OperatingSystem.IsWindows())
        {
            throw new PlatformNotSupportedException($"{nameof(ApartmentState)} must be Unknown, except on Windows, but was {ApartmentState}.");
        }

        var copy = (NativeThreadPoolOptions)MemberwiseClone();
        copy.Processors = Processors is null ? null : (int[])[.. Processors];
        return copy;
    }

    private OptionErrors Errors()
    {
        var errors = new OptionErrors();
        errors.UnlessInRange(nameof(MaxThreads), MaxThreads, 1, ThreadLimit);
        errors.UnlessInRange(nameof(MinThreads), MinThreads, 0, MaxThreads is >= 1 and <= ThreadLimit ? MaxThreads : ThreadLimit);
        errors.UnlessInRange(nameof(MaxBlockedThreads), MaxBlockedThreads, 0, ThreadLimit);
        if (MaxRescueThreads is { } rescue)
        {
            errors.UnlessInRange(nameof(MaxRescueThreads), rescue, 0, ThreadLimit);
        }

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

        if (MaxConcurrentOperations is { } operations)
        {
            errors.UnlessInRange(nameof(MaxConcurrentOperations), operations, 1, int.MaxValue);
        }

        errors.UnlessDefined(nameof(QueueFullMode), QueueFullMode);
        errors.UnlessDefined(nameof(RecordItems), RecordItems);
        errors.UnlessDefined(nameof(ThreadPriority), ThreadPriority);
        errors.UnlessDefined(nameof(ApartmentState), ApartmentState);
        errors.UnlessProcessors(nameof(Processors), Processors);
        errors.UnlessStackSize(nameof(MaxStackSize), MaxStackSize);
        return errors;
    }
}

/// <summary>When a pool records which method each of its items runs.</summary>
public enum ItemRecording
{
    /// <summary>While an observer that records items exists, for example while a viewer has the live page open.</summary>
    WhenObserved,

    /// <summary>From the creation of the pool.</summary>
    Always,
}
