using System.Globalization;
using NativeThreading.Diagnostics;

namespace NativeThreading.Testing;

/// <summary>A pool without threads, for deterministic tests. Queued items wait until the test runs them, on the test's own thread, one after the
/// other, in the order in which they were queued.</summary>
/// <remarks>
/// <para>Give it to the code under test as its <see cref="IWorkScheduler"/>, and its <see cref="Clock"/> as the
/// <see cref="TimeProvider"/>. Then step with <see cref="RunOne"/>, <see cref="RunAll"/> and <see cref="RunFor"/>.</para>
/// <para>As on a <see cref="NativeThreadPool"/>, items run in the execution context of the queueing call, and awaits inside an operation of
/// <c>Run</c> or a task of <see cref="Scheduler"/> resume on the pool. An operation has a <see cref="SynchronizationContext"/> and the default
/// scheduler. There is one order: <c>preferLocal</c> and <see cref="TaskCreationOptions.LongRunning"/> change nothing. If a raw item throws, the call
/// that runs it throws.</para>
/// <para>Any thread may call any member, but items run on one thread at a time. A test that blocks until an item has run waits indefinitely: run the
/// items first, then check.</para>
/// </remarks>
/// <example>
/// <code>
/// var pool = new ManualThreadPool();
/// Task&lt;int&gt; sum = pool.Run(() =&gt; 1 + 1);
/// pool.RunAll();
/// Console.WriteLine(sum.Result);
/// </code>
/// </example>
public sealed partial class ManualThreadPool : IWorkScheduler, IObservedScheduler
{
    private const int UsualMost = 1_000_000;

    [ThreadStatic]
    private static ManualThreadPool? t_current;

    private readonly ManualQueue _queue;
    private readonly ManualTaskScheduler _scheduler;
    private readonly ManualSynchronizationContext _operationContext;
    private readonly int? _limit;
    private readonly QueueFullMode _mode;
    private readonly Func<Exception, bool>? _unhandled;
    private Thread? _runner;
    private ManualThreadPool? _outer; // whose item the running thread runs beneath ours
    private long _completed;

    /// <summary>Creates a pool.</summary>
    /// <param name="name">The name of the pool, for messages.</param>
    /// <param name="queueLimit">The number of items that may wait, as <see cref="NativeThreadPoolOptions.QueueLimit"/>; 1 or more, or
    /// <see langword="null"/> for no limit.</param>
    /// <param name="queueFullMode">
    /// How a call over the limit behaves, as <see cref="NativeThreadPoolOptions.QueueFullMode"/>. The one difference: a synchronous call that would
    /// have to wait throws on every thread, because no thread would ever free a permit.
    /// </param>
    /// <exception cref="ArgumentNullException"><paramref name="name"/> is null.</exception>
    /// <exception cref="ArgumentException"><paramref name="name"/> is empty or white space.</exception>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="queueLimit"/> is less than 1, or
    /// <paramref name="queueFullMode"/> is not a value of its type.</exception>
    public ManualThreadPool(string name = "manual", int? queueLimit = null, QueueFullMode queueFullMode = QueueFullMode.Reject)
        : this(OptionsOf(name, queueLimit, queueFullMode), isChecked: true)
    {
    }

    /// <summary>Creates a pool with the options of a <see cref="NativeThreadPool"/>.</summary>
    /// <param name="options">The options. The pool has their <see cref="NativeThreadPoolOptions.Name"/>,
    /// <see cref="NativeThreadPoolOptions.QueueLimit"/>, <see cref="NativeThreadPoolOptions.QueueFullMode"/>,
    /// <see cref="NativeThreadPoolOptions.MaxConcurrentOperations"/>, <see cref="NativeThreadPoolOptions.UnhandledException"/>,
    /// <see cref="NativeThreadPoolOptions.WorkObserver"/> and <see cref="NativeThreadPoolOptions.TraceItems"/>. The other options have no effect
    /// without threads.</param>
    /// <exception cref="ArgumentNullException"><paramref name="options"/> is null.</exception>
    /// <exception cref="ArgumentException">The name is empty or white space.</exception>
    /// <exception cref="ArgumentOutOfRangeException">An option is out of its range.</exception>
    public ManualThreadPool(NativeThreadPoolOptions options)
        : this(options, isChecked: false)
    {
    }

    private ManualThreadPool(NativeThreadPoolOptions options, bool isChecked)
    {
        ArgumentNullException.ThrowIfNull(options);
        options = isChecked ? options : options.Validated();
        Name = options.Name;
        MaxConcurrentOperations = options.MaxConcurrentOperations;
        _limit = options.QueueLimit;
        _mode = options.QueueFullMode;
        _unhandled = options.UnhandledException;
        _queue = new ManualQueue(_limit, MaxConcurrentOperations);
        _scheduler = new ManualTaskScheduler(this, _queue, view: null);
        _operationContext = new ManualSynchronizationContext(this, view: null);
        Clock = new ManualClock(this);
        Observation = WorkObservation.Of(options, Clock);
    }

    /// <summary>Gets the pool whose item the calling thread runs; <see langword="null"/> outside of items.</summary>
    public static ManualThreadPool? Current => t_current;

    /// <inheritdoc/>
    public string Name { get; }

    /// <inheritdoc/>
    public TaskScheduler Scheduler => _scheduler;

    /// <summary>Gets the clock, which the test moves. The callbacks of its timers run on this pool.</summary>
    public ManualClock Clock { get; }

    /// <summary>Gets the number of items that wait for the test to run them.</summary>
    public long PendingWorkItemCount => _queue.Count;

    /// <summary>Gets the number of items that have run, including items that threw.</summary>
    public long CompletedWorkItemCount => Volatile.Read(ref _completed);

    /// <summary>Gets the number of callers that wait for a permit, with a queue limit and <see cref="QueueFullMode.Wait"/>.</summary>
    public int WaitingCallerCount => _queue.WaiterCount;

    /// <summary>Runs the oldest item that may start on the calling thread.</summary>
    /// <returns><see langword="true"/> if an item was run; <see langword="false"/> if none waits, or all that wait are held by
    /// <see cref="Pause"/> or <see cref="MaxConcurrentOperations"/>.</returns>
    /// <exception cref="InvalidOperationException">An item of this pool is running, on this thread or on another.</exception>
    /// <remarks>If a raw item throws, the call throws the same exception, unless <see cref="NativeThreadPoolOptions.UnhandledException"/> handles it.
    /// The item counts as completed. Tasks keep their exceptions.</remarks>
    public bool RunOne()
    {
        BeginRunning();
        try
        {
            return RunNext();
        }
        finally
        {
            EndRunning();
        }
    }

    /// <summary>Runs items until none is left that may start, including items that are queued meanwhile.</summary>
    /// <param name="most">The most items to run; 1 or more.</param>
    /// <returns>The number of items that were run.</returns>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="most"/> is less than 1.</exception>
    /// <exception cref="InvalidOperationException">
    /// An item of this pool is running, on this thread or on another; or there were more than <paramref name="most"/> items to run, for example
    /// because each item queues another one.
    /// </exception>
    /// <inheritdoc cref="RunOne" path="/remarks"/>
    public int RunAll(int most = UsualMost)
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(most, 1);
        BeginRunning();
        try
        {
            int ran = 0;
            RunPending(ref ran, most);
            return ran;
        }
        finally
        {
            EndRunning();
        }
    }

    /// <summary>Simulates the passing of time: runs all items, advances the <see cref="Clock"/> to the next due timer, runs all items, and so on
    /// until the time is over.</summary>
    /// <param name="time">The time that passes; 0 or more.</param>
    /// <param name="most">The most items to run; 1 or more.</param>
    /// <returns>The number of items that were run.</returns>
    /// <exception cref="ArgumentOutOfRangeException">An argument is out of its range.</exception>
    /// <inheritdoc cref="RunAll" path="/exception[@cref='T:System.InvalidOperationException']"/>
    /// <inheritdoc cref="RunOne" path="/remarks"/>
    public int RunFor(TimeSpan time, int most = UsualMost)
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(most, 1);
        long end = Clock.After(time);
        BeginRunning();
        try
        {
            int ran = 0;
            RunPending(ref ran, most);
            while (Clock.TryFireNext(end))
            {
                RunPending(ref ran, most);
            }

            return ran;
        }
        finally
        {
            EndRunning();
        }
    }

    /// <inheritdoc/>
    public override string ToString() => $"{nameof(ManualThreadPool)} {Name}";

    /// <summary>Adds the callback of a timer, which is never rejected.</summary>
    internal void Add(ManualWorkItem item)
    {
        _queue.Add(item);
        SettleIfStopped();
    }

    internal bool Remove(ManualWorkItem item) => _queue.Remove(item);

    private static NativeThreadPoolOptions OptionsOf(string name, int? queueLimit, QueueFullMode queueFullMode)
    {
        ArgumentException.ThrowIfNullOrWhiteSpace(name);
        if (queueLimit < 1)
        {
            throw new ArgumentOutOfRangeException(nameof(queueLimit), queueLimit, $"{nameof(queueLimit)} must be between 1 and {int.MaxValue}, or null, but was {queueLimit}.");
        }

        if (!Enum.IsDefined(queueFullMode))
        {
            throw new ArgumentOutOfRangeException(
                nameof(queueFullMode), queueFullMode, $"{nameof(queueFullMode)} must be Reject, Wait or RunOnCaller, but was {queueFullMode}.");
        }

        return new NativeThreadPoolOptions { Name = name, QueueLimit = queueLimit, QueueFullMode = queueFullMode };
    }

    private void RunPending(ref int ran, int most)
    {
        while (_queue.HasNext)
        {
            if (ran == most)
            {
                throw new InvalidOperationException(string.Create(
                    CultureInfo.InvariantCulture,
                    $"{this}: the limit of {most} items was reached and {_queue.Count} are still queued; items may be queueing each other endlessly. Raise the limit, or use RunOne."));
            }

            ran++;
            RunNext();
        }
    }

    private bool RunNext()
    {
        if (_queue.Take() is not { } item)
        {
            return false;
        }

        try
        {
            item.Run();
        }
        catch (Exception exception) when (_unhandled?.Invoke(exception) == true)
        {
            // The item has ended.
        }
        finally
        {
            Interlocked.Increment(ref _completed);
        }

        return true;
    }

    private void BeginRunning()
    {
        Thread? runner = Interlocked.CompareExchange(ref _runner, Thread.CurrentThread, null);
        if (runner is not null)
        {
            throw new InvalidOperationException(runner == Thread.CurrentThread
                ? $"{this} is running an item on this thread, and that item must complete before the next one runs. Call RunOne, RunAll and RunFor from the test, not from an item."
                : $"{this} is running an item on thread {runner.ManagedThreadId}. Only one thread at a time may run items.");
        }

        _outer = t_current;
        t_current = this;
    }

    private void EndRunning()
    {
        t_current = _outer;
        Volatile.Write(ref _runner, null);
        FinishIfDrained();
    }
}
