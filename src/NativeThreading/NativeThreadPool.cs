using System.Diagnostics;
using System.Diagnostics.Metrics;
using System.Runtime.Loader;
using NativeThreading.Admission;
using NativeThreading.Async;
using NativeThreading.Cores;
using NativeThreading.Diagnostics;
using NativeThreading.Lifecycle;
using NativeThreading.Queues;
using NativeThreading.Roster;
using NativeThreading.Starvation;
using NativeThreading.Waiting;
using NativeThreading.Workers;

namespace NativeThreading;

/// <summary>
/// A pool of worker threads of its own: named, isolated from every other pool, with the queueing calls of
/// <see cref="ThreadPool"/>, a <see cref="TaskScheduler"/>, and no CPU time while it has nothing to do.
/// </summary>
/// <remarks>
/// <para>All members may be called from any thread at any time.</para>
/// <para>A worker serves its own newest local item first, then its lane and the injector queue in order, and
/// then steals. Items of one producer that were queued without <c>preferLocal</c> start in the order in which they were
/// queued, but for what the workers have in hand: about 100 us of short items, a few long ones.
/// docs/architecture.md follows an item from queueing to its end.</para>
/// </remarks>
[DebuggerDisplay("{Name}: {ThreadCount} threads, {PendingWorkItemCount} pending")]
[DebuggerTypeProxy(typeof(PoolView))]
public sealed partial class NativeThreadPool : IWorkScheduler, IDisposable, IAsyncDisposable
{
    private static readonly UninterruptedLock s_sharedLock = new();
    private static NativeThreadPool? s_shared;

    private readonly NativeThreadPoolOptions _options;
    private readonly bool _isShared;
    private readonly PoolLifecycle _lifecycle;
    private bool _timesItems;
    private int _priorityRefused;

    /// <summary>Creates a pool with default options. No thread is started before the first item.</summary>
    /// <exception cref="PlatformNotSupportedException">The native core was asked for, and its library is missing or of another version.</exception>
    public NativeThreadPool()
        : this(new NativeThreadPoolOptions())
    {
    }

    /// <summary>Creates a pool. No thread is started before the first item.</summary>
    /// <param name="options">Copied; later changes have no effect.</param>
    /// <exception cref="ArgumentNullException"><paramref name="options"/> is null.</exception>
    /// <exception cref="ArgumentOutOfRangeException">An option is out of its range; the message names both.</exception>
    /// <exception cref="PlatformNotSupportedException">The native core was asked for, and its library is missing or of another version.</exception>
    public NativeThreadPool(NativeThreadPoolOptions options)
        : this(options, isShared: false)
    {
    }

    /// <summary>Creates a pool whose metrics go to a meter of a factory. No thread is started before the first item.</summary>
    /// <param name="options">Copied; later changes have no effect.</param>
    /// <param name="meterFactory">
    /// Makes the meter <c>NativeThreading</c>; a container's factory disposes it with the container.
    /// <see langword="null"/> is for the process's own meter, which all other pools share.
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
        Admission = _options.QueueLimit is { } limit ? new QueueAdmission(this, limit, _options.QueueFullMode) : null;
        CoreChoice.EnsureUsable();
        State = new PoolState(_options, isLimited: Admission is not null);
        (Signal, Injector) = (State.Signal, State.Injector); // a load less for each item
        Signal.EndMonitoring();
        Metrics = PoolMetrics.Of(meterFactory);
        ListenerFailures = new ListenerFailures(Name);
        Waiting = new WaitingItems(this);
        Watch = new MonitoredPool(this);
        Roster = new ThreadRoster(_options, State, CreateWorker, notStarted: () => Departures!.WorkerLeft());
        Requests = new WorkerRequests(this);
        LongRunning = new LongRunningThreads(this);
        _lifecycle = new PoolLifecycle(this);
        Departures = new Departures(this, _lifecycle);
        CallsOfWorkers = new CallsOfWorkers(this, Departures, _lifecycle);
        Leftovers = new Leftovers(this, _options.UnhandledException);
        Scheduler = new NativeTaskScheduler(this);
        OperationContext = new PoolSynchronizationContext(this);
        _resumption = new Resumption(this, context: null);
        Factory = new TaskFactory(CancellationToken.None, TaskCreationOptions.DenyChildAttach, TaskContinuationOptions.None, Scheduler);
        Number = PoolRegistry.Add(this);
        WatchedItems.Update(this); // after it: a trace or an observer that begins now sees the pool, or is seen
    }

    /// <summary>The core on which all pools, loops and semaphores of this process run. Chosen at the first use, for good.</summary>
    /// <remarks>The native one, if its library can be used here; else the managed one, which an event says once. <c>NATIVETHREADING_CORE</c>
    /// (<c>native</c> or <c>managed</c>) asks for one, and so does the switch <c>NativeThreading.ManagedCore</c> of a runtimeconfig.json.</remarks>
    public static ThreadingCore Core => CoreChoice.Core;

    /// <summary>A pool for the whole process, created at first use with default options. It cannot be disposed.</summary>
    /// <remarks>
    /// Where the library was loaded into an <see cref="AssemblyLoadContext"/> that can be unloaded, the pool is that
    /// context's own: it is shut down as <see cref="ShutdownAsync"/> does when the unloading begins.
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

    /// <summary>The pool's name.</summary>
    public string Name => _options.Name;

    /// <summary>Threads that stay when the pool is idle.</summary>
    public int MinThreads => _options.MinThreads;

    /// <summary>Threads that may run at once.</summary>
    public int MaxThreads => _options.MaxThreads;

    /// <summary>Threads that may be blocked at once beside those that run.</summary>
    public int MaxBlockedThreads => _options.MaxBlockedThreads;

    /// <summary>How many items may wait, or <see langword="null"/> for any number.</summary>
    public int? QueueLimit => _options.QueueLimit;

    /// <summary>What becomes of a queueing call while <see cref="QueueLimit"/> items wait.</summary>
    public QueueFullMode QueueFullMode => _options.QueueFullMode;

    /// <summary>Runs tasks on this pool.</summary>
    public NativeTaskScheduler Scheduler { get; }

    /// <inheritdoc/>
    TaskScheduler IWorkScheduler.Scheduler => Scheduler;

    /// <summary>Creates tasks that run on this pool.</summary>
    public TaskFactory Factory { get; }

    /// <summary>Workers of the pool at this moment: busy, blocked or parked.</summary>
    public int ThreadCount => Roster.ThreadCount;

    /// <summary>Threads that are known to be blocked at this moment: found to be, or in a blocking region.</summary>
    public int BlockedThreadCount => Roster.BlockedCount;

    /// <summary>
    /// Threads that run a <see cref="TaskCreationOptions.LongRunning"/> task of <see cref="Scheduler"/> at this moment, one
    /// each. <see cref="ThreadCount"/> and <see cref="MaxThreads"/> do not count them.
    /// </summary>
    public int LongRunningThreadCount => LongRunning.Count;

    /// <summary>Items that were queued and have not begun; a moment's figure, summed over the queues.</summary>
    public long PendingWorkItemCount => Roster.PendingCount;

    /// <summary>Items that have ended since the pool was created; exact once the pool is quiet.</summary>
    public long CompletedWorkItemCount => Roster.CompletedCount;

    /// <summary>
    /// For how long the item that has waited longest has been waiting; zero when nothing waits. May be asked as often as
    /// wanted: one look costs about as much as <see cref="PendingWorkItemCount"/>.
    /// </summary>
    /// <remarks>
    /// Items carry no time, so this is worked out from how far the queues reached at earlier looks: an item is at least as
    /// old as the first look that saw its slot filled. The pool looks by itself, about ten times a second, while items
    /// wait and no thread is free, so that the age is then right to about a tenth of a second; otherwise each call is a look.
    /// It errs to the low side: an item that was moved to another thread's queue counts from then on, and so does one that
    /// lies at the bottom of the local queue of a thread that keeps running newer ones.
    /// </remarks>
    public TimeSpan OldestWorkItemAge => Waiting.Look();

    /// <summary>
    /// For how long every thread of the pool has been blocked without a break; zero while one of them runs or is free to.
    /// Threads are found blocked while work waits; without waiting work only those in a region
    /// (<see cref="EnterBlockingRegion"/>) count.
    /// </summary>
    public TimeSpan AllThreadsBlockedDuration => Roster.AllBlockedDuration;

    /// <summary>
    /// Tasks that became ready after the pool had stopped and ran on the runtime's pool instead, so that no async method
    /// hangs because its pool is gone; and items that another thread queued at the very moment of the stop.
    /// </summary>
    public long RanElsewhereCount => Leftovers.RanElsewhereCount;

    /// <summary>
    /// Items that ran when the token of <see cref="ShutdownAsync"/> was cancelled; 0 before, and where the pool could finish.
    /// Nobody waits for them.
    /// </summary>
    public int AbandonedWorkItemCount => _lifecycle.AbandonedCount;

    /// <summary>What the workers read; and the parts of the pool.</summary>
    internal PoolState State { get; }
    internal PoolCalls CallsOfWorkers { get; }
    internal WorkerSignal Signal { get; }
    internal ThreadRoster Roster { get; }

    /// <summary>The workers at this moment. The array is replaced, never changed.</summary>
    internal Worker[] Workers => Roster.Workers;
    internal WorkerRequests Requests { get; }
    internal Departures Departures { get; }
    internal InjectorQueue Injector { get; }
    internal LingerPolicy Linger => State.Linger;

    /// <summary>Who may enter, where the queue is limited.</summary>
    internal QueueAdmission? Admission { get; }
    internal Permits? Permits => Admission?.Permits;
    internal LongRunningThreads LongRunning { get; }
    internal OpenOperations OpenOperations { get; } = new();

    /// <summary>The context that operations have on the pool's workers, and there only.</summary>
    internal PoolSynchronizationContext OperationContext { get; }
    internal Leftovers Leftovers { get; }
    internal MonitoredPool Watch { get; }
    internal WaitingItems Waiting { get; }
    internal PoolMetrics Metrics { get; }
    internal ListenerFailures ListenerFailures { get; }

    /// <summary>What its workers run, while somebody observes.</summary>
    internal ItemRecords ItemRecords { get; } = new();

    /// <summary>Its number in the process, by which observers know it again.</summary>
    internal int Number { get; }
    internal bool IsDraining => State.IsDraining;
    internal bool IsStopped => State.IsStopped;

    /// <summary>The pool's hold on the monitor, from before the first thread until the stop. Set under the roster's lock.</summary>
    internal MonitorHold? MonitorHold { get; private set; }
    internal int MaxStackSize => _options.MaxStackSize;
    internal bool MeasuresQueueDuration => _options.MeasureQueueDuration;

    /// <summary>Items that were refused because the queue was full.</summary>
    internal long RejectedWorkItemCount => Admission?.RejectedCount ?? 0;

    /// <summary>Wakes that were lost and repeated; anything but 0 is a defect of this library.</summary>
    internal long RepairCount => Requests.RepairCount;

    /// <summary>Threads that run, or are about to: neither parked nor known to be blocked.</summary>
    internal int ActiveThreadCount =>
        Math.Max(0, ThreadCount - WorkerSignal.IdleCount(Signal.Word) - Roster.ReserveCount - BlockedThreadCount);

    internal long InjectedThreadCount => Watch.InjectedCount;
    internal long WakeCount => Signal.WakeCount;

    /// <summary>Times a worker took from another one's queues.</summary>
    internal long StealCount => Roster.StealCount;

    /// <summary>
    /// Tells the pool, on one of its workers, that what follows will block: while the region lasts another worker may
    /// run in place of the calling one, from this moment on, without waiting for it to be found blocked.
    /// </summary>
    /// <returns>
    /// To be disposed on the same thread: <c>using (NativeThreadPool.EnterBlockingRegion()) { ... }</c>. Regions may be
    /// nested. In a callback of a loop with <see cref="EventLoopOptions.HandsOverWhenBlocked"/> another thread takes the
    /// loop over, for good. On any other thread this does nothing.
    /// </returns>
    /// <remarks>
    /// For waits of a millisecond and more: a shorter one is over before anybody can take its place. No region is needed
    /// for the pool to stay alive; without one a blocked worker is found within a few milliseconds.
    /// </remarks>
    public static BlockingRegion EnterBlockingRegion() => new(Worker.Current);

    /// <summary>
    /// Starts as many threads as it takes for there to be <see cref="MinThreads"/>, instead of with the first items. A host
    /// does so before its server accepts anything.
    /// </summary>
    /// <returns>How many were started; 0 where there are enough.</returns>
    /// <exception cref="ObjectDisposedException">The pool is shutting down.</exception>
    /// <exception cref="OutOfMemoryException">A thread could not be started; those that were stay.</exception>
    public int StartMinThreads()
    {
        ThrowIfShutDown();
        return Roster.StartUpTo(MinThreads);
    }

    /// <summary>
    /// Refuses new work, runs all work that was accepted, and lets the threads go. Work that items queue while they run,
    /// and continuations of async methods, are part of what was accepted; so are operations of <c>Run</c> that have not
    /// completed, and <see cref="TaskCreationOptions.LongRunning"/> tasks. Later calls join the first.
    /// </summary>
    /// <param name="cancellationToken">Ends the wait: what has not begun is dropped, what runs is left to end by itself.</param>
    /// <returns>How many items were dropped: 0 unless <paramref name="cancellationToken"/> was cancelled. Tasks are never
    /// dropped: they run on the runtime's pool.</returns>
    /// <exception cref="InvalidOperationException">This is the shared pool.</exception>
    /// <remarks>
    /// An item of this pool that waits for the returned task waits for itself. After a cancelled token every accepted item
    /// has either been dropped and counted, or runs: one that a worker was moving at that moment, and what a running item
    /// still queues, runs on the runtime's pool. So does, whatever the token, an item whose queueing call began before the
    /// shutdown and meets its very end, a little after the returned task has completed.
    /// </remarks>
    public Task<long> ShutdownAsync(CancellationToken cancellationToken)
    {
        if (_isShared)
        {
            throw new InvalidOperationException("The shared pool cannot be shut down, because the whole process uses it.");
        }

        return _lifecycle.BeginShutdown(cancellationToken);
    }

    /// <summary><see cref="ShutdownAsync"/> without a token.</summary>
    /// <inheritdoc cref="ShutdownAsync" path="/exception"/>
    public ValueTask DisposeAsync() => new(ShutdownAsync(CancellationToken.None));

    /// <summary>
    /// Shuts the pool down and waits until its work is done. From one of its own threads, and from a task or an operation of the
    /// pool wherever that runs, it only begins to: a thread cannot wait for itself.
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

    /// <summary>Whether the way of items through the queues is watched; for <see cref="WatchedItems"/>.</summary>
    internal void TimeItems(bool timed) => Volatile.Write(ref _timesItems, timed);

    /// <summary>The exception filter of raw items.</summary>
    internal bool Handles(Exception exception) => _options.UnhandledException?.Invoke(exception) == true;

    internal ObjectDisposedException ShutDownError() => new(ToString(), "The pool is shutting down and accepts no new work.");

    /// <summary>Sets the priority of the calling thread, a new one of the pool's.</summary>
    internal void ApplyPriority()
    {
        (int nice, int result) = ThreadNice.Apply(_options.ThreadPriority);
        if (result < 0 && Interlocked.Exchange(ref _priorityRefused, 1) == 0)
        {
            NativeThreadingEventSource.Log.PriorityRefused(Name, nice, -result);
        }
    }

    // What the parts ask of one another goes through here, so that their folders depend on one another in one direction only.
    internal void Request(ulong word) => Requests.Request(word);

    internal void BeginMonitoring() => Watch.BeginMonitoring();

    internal void TryFinishDraining() => _lifecycle.TryFinishDraining();

    internal void PassStopOn() => _lifecycle.PassStopOn();

    /// <summary>Under the roster's lock, before a thread is started.</summary>
    private Worker CreateWorker(int index)
    {
        MonitorHold ??= new MonitorHold(); // no item is accepted without the monitor, which repeats failed starts
        return new Worker(this, index);
    }

    private void ThrowIfShutDown()
    {
        if (State.Lifecycle.IsEnding)
        {
            throw ShutDownError();
        }
    }
}
