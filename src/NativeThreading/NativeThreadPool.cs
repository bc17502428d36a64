using System.Diagnostics;
using System.Diagnostics.Metrics;
using System.Runtime.Loader;
using NativeThreading.Diagnostics;
using NativeThreading.Limits;
using NativeThreading.Platform;
using NativeThreading.Queues;
using NativeThreading.Scheduling;
using NativeThreading.Shutdown;
using NativeThreading.Starvation;
using NativeThreading.Tasks;
using NativeThreading.Tracing;

namespace NativeThreading;

/// <summary>
/// A named thread pool with its own worker threads, isolated from every other pool. It has the queueing calls of
/// <see cref="ThreadPool"/> and a <see cref="TaskScheduler"/>, and uses no CPU time while it is idle.
/// </summary>
/// <remarks>
/// <para>All members may be called from any thread at any time.</para>
/// <para>A worker runs its own newest local item first, then the items of its lane and of the injector queue in order, and
/// then steals. Items that one producer queued without <c>preferLocal</c> start in the order in which they were
/// queued, except for items that workers have already taken: about 100 µs of short items, or a few long ones.</para>
/// </remarks>
/// <example>
/// <code>
/// await using var pool = new NativeThreadPool(new NativeThreadPoolOptions { Name = "reports", MaxThreads = 4 });
/// int length = await pool.Run(() =&gt; Report().Length);
/// </code>
/// </example>
[DebuggerDisplay("{Name}: {ThreadCount} threads, {PendingWorkItemCount} pending")]
[DebuggerTypeProxy(typeof(PoolView))]
public sealed partial class NativeThreadPool : IWorkScheduler, IObservedScheduler, IDisposable, IAsyncDisposable
{
    private static readonly UninterruptedLock s_sharedLock = new();
    private static NativeThreadPool? s_shared;

    private readonly NativeThreadPoolOptions _options;
    private readonly bool _isShared;
    private readonly PoolLifecycle _lifecycle;
    private bool _timesItems;

    /// <summary>Creates a pool with default options. No thread starts before the first item.</summary>
    /// <exception cref="PlatformNotSupportedException">A setting requires the native core, and its library is missing or of another version.</exception>
    public NativeThreadPool()
        : this(new NativeThreadPoolOptions())
    {
    }

    /// <summary>Creates a pool. No thread starts before the first item.</summary>
    /// <param name="options">The options. They are copied; later changes have no effect.</param>
    /// <exception cref="ArgumentNullException"><paramref name="options"/> is null, or its name is.</exception>
    /// <exception cref="ArgumentException">The name is empty or white space, or a list of processors is invalid.</exception>
    /// <exception cref="ArgumentOutOfRangeException">An option is out of range; the message contains its name and its range.</exception>
    /// <exception cref="PlatformNotSupportedException">A setting requires the native core, and its library is missing or of another version. Or
    /// <see cref="NativeThreadPoolOptions.ApartmentState"/> is set on a system other than Windows.</exception>
    public NativeThreadPool(NativeThreadPoolOptions options)
        : this(options, isShared: false)
    {
    }

    /// <summary>Creates a pool that reports to a meter of a factory. No thread starts before the first item.</summary>
    /// <param name="options">The options. They are copied; later changes have no effect.</param>
    /// <param name="meterFactory">
    /// The factory that creates the meter <c>NativeThreading</c>. The factory of a container disposes the meter with the container.
    /// If <see langword="null"/>, the pool reports to the meter of the process, which all other pools share.
    /// </param>
    /// <inheritdoc cref="NativeThreadPool(NativeThreadPoolOptions)" path="/exception"/>
    public NativeThreadPool(NativeThreadPoolOptions options, IMeterFactory? meterFactory)
        : this(options, isShared: false, meterFactory)
    {
    }

    private NativeThreadPool(NativeThreadPoolOptions options, bool isShared, IMeterFactory? meterFactory = null)
    {
        ArgumentNullException.ThrowIfNull(options);
        _options = options.Validated();
        _isShared = isShared;
        Observation = WorkObservation.Of(_options, TimeProvider.System);
        _culture = ThreadCulture.Of(_options.Culture, _options.UICulture);
        if (_culture is not null)
        {
            EntryFunction.CallSpecially();
        }

        Admission = _options.QueueLimit is { } limit ? new QueueAdmission(this, limit, _options.QueueFullMode) : null;
        OperationLimit = _options.MaxConcurrentOperations is { } operations ? new OperationLimit(operations) : null;
        CoreChoice.EnsureUsable();
        State = new PoolState(_options, isLimited: Admission is not null);
        (Signal, Injector) = (State.Signal, State.Injector); // saves each item a load
        Signal.EndMonitoring();
        Metrics = PoolMetrics.Of(meterFactory);
        ListenerFailures = new ListenerFailures(Name);
        Waiting = new WaitingItems(this);
        Watch = new MonitoredPool(this);
        Roster = new ThreadRoster(_options, State, CreateWorker, notStarted: () => Exit!.WorkerLeft());
        Requests = new WorkerRequests(this);
        LongRunning = new LongRunningThreads(this);
        _lifecycle = new PoolLifecycle(this);
        Exit = new WorkerExit(this);
        Leftovers = new Leftovers(this, _options.UnhandledException);
        Scheduler = new NativeTaskScheduler(this);
        OperationContext = new PoolSynchronizationContext(this);
        _resumption = new Resumption(this, context: null);
        Factory = new TaskFactory(CancellationToken.None, TaskCreationOptions.DenyChildAttach, TaskContinuationOptions.None, Scheduler);
        Number = PoolRegistry.Add(this);
        Chaos.Point("NativeThreadPool.NativeThreadPool, added");
        Metrics.PublishUnlessLater(this, LateStart.IsOver);
        WatchedItems.Update(this); // after Add: a trace or an observer that starts now sees the pool, or the pool sees it
    }

    /// <summary>Gets the core on which all pools, loops and semaphores of this process run. It is chosen at the first use and does not change.</summary>
    /// <remarks>By default this is the native core if its library can be used, and otherwise the managed core, which an event reports once. The
    /// environment variable <c>NATIVETHREADING_CORE</c> (<c>native</c> or <c>managed</c>) or the switch <c>NativeThreading.ManagedCore</c> in
    /// runtimeconfig.json selects a core.</remarks>
    public static ThreadingCore Core => CoreChoice.Core;

    /// <summary>Gets a pool for the whole process, created at first use with default options. It cannot be disposed.</summary>
    /// <remarks>
    /// If the library was loaded into an <see cref="AssemblyLoadContext"/> that can be unloaded, the pool belongs to that
    /// context: it shuts down, as with <see cref="ShutdownAsync"/>, when the unloading starts.
    /// </remarks>
    public static NativeThreadPool Shared
    {
        get
        {
            return Volatile.Read(ref s_shared) ?? Create();

            static NativeThreadPool Create()
            {
                using (s_sharedLock.EnterScope())
                {
                    if (s_shared is null)
                    {
                        var shared = new NativeThreadPool(new NativeThreadPoolOptions { Name = "shared" }, isShared: true);
                        LoadContextEnd.Register(() => shared._lifecycle.BeginShutdown(CancellationToken.None));
                        Volatile.Write(ref s_shared, shared);
                    }

                    return s_shared;
                }
            }
        }
    }

    /// <summary>
    /// Gets the pool that owns the current thread, or <see langword="null"/>. Workers and threads of
    /// <see cref="TaskCreationOptions.LongRunning"/> tasks of its <see cref="Scheduler"/> belong to a pool.
    /// </summary>
    public static NativeThreadPool? Current => Worker.Current is Worker worker ? worker.Pool : LongRunningThread.Pool;

    /// <summary>Gets the pool's name.</summary>
    public string Name => _options.Name;

    /// <summary>Gets the number of threads that stay when the pool is idle.</summary>
    public int MinThreads => _options.MinThreads;

    /// <summary>Gets the number of threads that may run at once.</summary>
    public int MaxThreads => _options.MaxThreads;

    /// <summary>Gets the number of threads that may be blocked at once, in addition to the running ones.</summary>
    public int MaxBlockedThreads => _options.MaxBlockedThreads;

    /// <summary>Gets the most rescue threads; 0 if the pool has none, as if <see cref="MaxBlockedThreads"/> is 0.</summary>
    public int MaxRescueThreads => Roster.MaxRescueThreads;

    /// <summary>Gets the limit of waiting items, or <see langword="null"/> if there is no limit.</summary>
    public int? QueueLimit => _options.QueueLimit;

    /// <summary>Gets how queueing calls behave while <see cref="QueueLimit"/> items wait.</summary>
    public QueueFullMode QueueFullMode => _options.QueueFullMode;

    /// <summary>Gets the scheduler that runs tasks on this pool.</summary>
    public NativeTaskScheduler Scheduler { get; }

    /// <inheritdoc/>
    TaskScheduler IWorkScheduler.Scheduler => Scheduler;

    /// <summary>Gets a factory for tasks that run on this pool.</summary>
    public TaskFactory Factory { get; }

    /// <summary>Gets the current number of workers: running, blocked or parked.</summary>
    public int ThreadCount => State.ThreadCount;

    /// <summary>Gets the number of threads that are currently known to be blocked: detected by the pool, or in a blocking region.</summary>
    public int BlockedThreadCount => Roster.BlockedCount;

    /// <summary>
    /// Gets the number of rescue threads at this moment: running, blocked or parked. <see cref="ThreadCount"/> includes them. More than 0 says that
    /// all other threads were blocked within the last second, and that blocked code waits for work of this pool.
    /// </summary>
    public int RescueThreadCount => State.RescueCount;

    /// <summary>
    /// Gets the number of threads that currently run a <see cref="TaskCreationOptions.LongRunning"/> task of <see cref="Scheduler"/>, one
    /// thread per task. <see cref="ThreadCount"/> and <see cref="MaxThreads"/> do not include them.
    /// </summary>
    public int LongRunningThreadCount => LongRunning.Count;

    /// <summary>Gets the number of items that are queued and have not started: a snapshot, summed over the queues.</summary>
    /// <remarks>A cancelled task does not count, although its slot stays in the queue until its turn comes.</remarks>
    public long PendingWorkItemCount => Math.Max(0, QueuedItemCount - CancelledItems.Count) + (OperationLimit?.WaitingCount ?? 0);

    /// <summary>Gets the number of items that have completed since the pool was created; exact while the pool is idle.</summary>
    public long CompletedWorkItemCount => Roster.Totals.Completed;

    /// <summary>
    /// Gets how long the oldest waiting item has been waiting; zero if no item waits. One call costs about as much as
    /// <see cref="PendingWorkItemCount"/>.
    /// </summary>
    /// <remarks>
    /// Items carry no time. The pool computes the age from the positions of its queues at earlier samples: an item is at least as
    /// old as the first sample that saw its slot filled. The pool takes about ten samples a second while items
    /// wait and no thread is free. The age is then correct to about a tenth of a second. Otherwise each call is a sample.
    /// The age may be too low, never too high: an item that was moved to another thread's queue counts from that moment, and so does an
    /// item at the bottom of the local queue of a thread that keeps running newer items.
    /// </remarks>
    public TimeSpan OldestWorkItemAge => PendingWorkItemCount == 0 ? TimeSpan.Zero : Waiting.Look();

    /// <summary>
    /// Gets how long all threads of the pool have been blocked without interruption; zero while a thread runs or could run.
    /// The pool detects blocked threads only while work waits. Without waiting work, only threads in a region
    /// (<see cref="EnterBlockingRegion"/>) count.
    /// </summary>
    public TimeSpan AllThreadsBlockedDuration => Roster.AllBlockedDuration;

    /// <summary>Gets the number of continuations and tasks of <see cref="Scheduler"/> that ran on the built-in thread pool, because this pool had
    /// stopped or could not start a thread. So no async method hangs because its pool has stopped. Raw items that another thread queued at the very
    /// moment of the stop count, too. After a stop the event source <c>NativeThreading</c> reports each doubling of the number.</summary>
    public long RanElsewhereCount => Leftovers.RanElsewhereCount;

    /// <summary>
    /// Gets the number of items that were still running when the token of <see cref="ShutdownAsync"/> was cancelled; 0 if the token was not
    /// cancelled. The shutdown does not wait for these items.
    /// </summary>
    public int AbandonedWorkItemCount => _lifecycle.AbandonedCount;

    /// <summary>The state that the workers read. The properties that follow are the parts of the pool.</summary>
    internal PoolState State { get; }
    internal WorkerSignal Signal { get; }
    internal ThreadRoster Roster { get; }

    /// <summary>The current workers. The array is replaced, never changed.</summary>
    internal Worker[] Workers => State.Workers;
    internal WorkerRequests Requests { get; }
    internal WorkerExit Exit { get; }
    internal InjectorQueue Injector { get; }

    /// <summary>A snapshot of the waiting items, for a debugger, which cannot take a lock.</summary>
    internal IEnumerable<WorkItem> PendingItems => Injector.PendingItems().Concat(Workers.SelectMany(static worker => worker.Queues.PendingItems()));

    /// <summary>The admission of a queue with a limit, or null.</summary>
    internal QueueAdmission? Admission { get; }
    internal Permits? Permits => Admission?.Permits;

    /// <summary>The bound of operations in flight, or null.</summary>
    internal OperationLimit? OperationLimit { get; }
    internal LongRunningThreads LongRunning { get; }
    internal OpenOperations OpenOperations { get; } = new();

    /// <summary>Items that were cancelled and still occupy slots.</summary>
    internal CancelledItems CancelledItems { get; } = new();

    /// <summary>Occupied slots of all queues: items that wait, and cancelled ones.</summary>
    internal long QueuedItemCount => State.PendingCount;

    /// <summary>The token that stopped the pool; <see langword="null"/> if no token did.</summary>
    internal CancellationToken? StopToken => _lifecycle.StopToken;

    /// <summary>The context that operations have on the pool's workers, and only there.</summary>
    internal PoolSynchronizationContext OperationContext { get; }
    internal Leftovers Leftovers { get; }
    internal MonitoredPool Watch { get; }
    internal WaitingItems Waiting { get; }
    internal PoolMetrics Metrics { get; }
    internal ListenerFailures ListenerFailures { get; }

    /// <summary>The observation of the pool's work, or null.</summary>
    internal WorkObservation? Observation { get; }
    WorkObservation? IObservedScheduler.Observation => Observation;
    internal bool ObservesWork => Observation is not null;

    /// <summary>The items that its workers run, recorded while an observer exists.</summary>
    internal ItemRecords ItemRecords { get; } = new();

    /// <summary>The pool's number in the process, by which observers recognize it.</summary>
    internal int Number { get; }
    internal bool IsDraining => State.IsDraining;
    internal bool IsStopped => State.IsStopped;

    /// <summary>The pool's hold on the monitor, from before the first thread until the stop. Set under the roster's lock.</summary>
    internal MonitorHold? MonitorHold { get; private set; }
    internal bool RecordsAllItems => _options.RecordItems == ItemRecording.Always;
    internal bool MeasuresQueueDuration => _options.MeasureQueueDuration;

    /// <summary>The number of items that were rejected because the queue was full.</summary>
    internal long RejectedWorkItemCount => Admission?.RejectedCount ?? 0;

    /// <summary>The number of lost wake-ups that were repeated; a value above 0 is a bug in this library.</summary>
    internal long RepairCount => Requests.RepairCount;

    /// <summary>The number of threads that run or are about to run: neither parked nor known to be blocked.</summary>
    internal int ActiveThreadCount =>
        Math.Max(0, ThreadCount - WorkerSignal.IdleCount(Signal.Word) - State.ReserveCount - BlockedThreadCount);

    internal long InjectedThreadCount => Watch.InjectedCount;
    internal long RescuedThreadCount => Watch.RescuedCount;
    internal long WakeCount => Signal.WakeCount;

    /// <summary>The number of times that a worker took items from another worker's queues.</summary>
    internal long StealCount => Roster.Totals.Steals;

    /// <summary>
    /// Rejects new work, runs all accepted work, and ends the threads. Accepted work includes items that running items queue,
    /// continuations of async methods, operations of <c>Run</c> that have not
    /// completed, and <see cref="TaskCreationOptions.LongRunning"/> tasks. Later calls join the first one.
    /// </summary>
    /// <param name="cancellationToken">A token that ends the wait. Items that have not started are dropped. Calls of <c>Run</c> and <c>RunAsync</c> whose
    /// function has not started throw an <see cref="OperationCanceledException"/> with this token when they are awaited. Running items continue.</param>
    /// <returns>A task with the number of items that were dropped or cancelled: 0 unless <paramref name="cancellationToken"/> was cancelled.
    /// Continuations and tasks of <see cref="Scheduler"/> are never dropped: they run on the built-in thread pool, and
    /// <see cref="RanElsewhereCount"/> counts them.</returns>
    /// <exception cref="InvalidOperationException">This is the shared pool.</exception>
    /// <remarks>
    /// <para>An item of this pool that waits for the returned task deadlocks.</para>
    /// <para>If the token was cancelled, every accepted item either runs, or has been dropped and counted. Items that a worker was moving at that
    /// moment run on the built-in thread pool, and so do raw items that a running item still queues. Calls of <c>Run</c> that a running item still
    /// makes are cancelled. With any token, an item whose queueing call started before the shutdown and ends after it runs there, too, a little
    /// after the returned task has completed.</para>
    /// <para>The task of a synchronous function cannot be in the state <see cref="TaskStatus.Canceled"/>, because the framework lets only the
    /// token of the task itself do that. It is in the state <see cref="TaskStatus.Faulted"/> with the same exception. Code that awaits it
    /// sees no difference.</para>
    /// </remarks>
    /// <example><code>
    /// using var patience = new CancellationTokenSource(TimeSpan.FromSeconds(10));
    /// long dropped = await pool.ShutdownAsync(patience.Token);
    /// </code></example>
    public Task<long> ShutdownAsync(CancellationToken cancellationToken)
    {
        if (_isShared)
        {
            throw new InvalidOperationException("The shared pool cannot be shut down, because the whole process uses it.");
        }

        return _lifecycle.BeginShutdown(cancellationToken);
    }

    /// <summary>Shuts the pool down as <see cref="ShutdownAsync"/> does, without a token.</summary>
    /// <inheritdoc cref="ShutdownAsync" path="/exception"/>
    /// <returns>A task that completes when all accepted work has completed.</returns>
    public ValueTask DisposeAsync() => new(ShutdownAsync(CancellationToken.None));

    /// <summary>
    /// Shuts the pool down and waits until its work has completed. On one of its own threads, and in a task or an operation of the
    /// pool on any thread, it only starts the shutdown, because a thread cannot wait for itself.
    /// </summary>
    /// <inheritdoc cref="ShutdownAsync" path="/exception"/>
    public void Dispose()
    {
        Task<long> stopped = ShutdownAsync(CancellationToken.None);
        bool runsOnCaller = TaskScheduler.Current == Scheduler || PoolSynchronizationContext.IsOf(this); // a full queue does that
        if (Current != this && !runsOnCaller)
        {
            Completion.Wait(stopped);
        }
    }

    /// <inheritdoc/>
    public override string ToString() => $"{nameof(NativeThreadPool)} {Name}";

    /// <summary>Sets whether the times of items in the queues are measured; called by <see cref="WatchedItems"/>.</summary>
    internal void TimeItems(bool timed) => Volatile.Write(ref _timesItems, timed);

    /// <summary>The exception filter of raw items.</summary>
    internal bool Handles(Exception exception) => _options.UnhandledException?.Invoke(exception) == true;

    internal ObjectDisposedException ShutDownError() => new(ToString(), "The pool is shutting down and accepts no new work.");

    // The parts of the pool call one another through these methods, so that their folders depend on one another in one direction only.

    internal void BeginMonitoring() => Watch.BeginMonitoring();

    internal void TryFinishDraining() => _lifecycle.TryFinishDraining();

    internal void AfterThreadLeft() => _lifecycle.AfterThreadLeft();

    internal void PassStopOn() => _lifecycle.PassStopOn();

    internal void SettleLeftovers() => Leftovers.SettleAll();

    /// <summary>Called under the roster's lock, before a thread starts.</summary>
    private Worker CreateWorker(int index, bool isRescue)
    {
        MonitorHold ??= new MonitorHold(); // no item is accepted without the monitor, which retries failed starts
        return new Worker(this, index, isRescue);
    }

    private void ThrowIfShutDown()
    {
        if (State.Lifecycle.IsEnding)
        {
            throw ShutDownError();
        }
    }
}
