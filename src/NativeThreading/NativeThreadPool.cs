using System.Diagnostics;
using System.Diagnostics.Metrics;
using System.Runtime.Loader;
using NativeThreading.Async;
using NativeThreading.Diagnostics;
using NativeThreading.Interop;
using NativeThreading.Lifecycle;
using NativeThreading.Limits;
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
/// <para>A worker serves its own newest local item first, then its lane and the lanes of outside threads in order, and
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

    /// <summary>Creates a pool with default options. No thread is started before the first item.</summary>
    /// <exception cref="PlatformNotSupportedException">The native library is missing or of another version.</exception>
    public NativeThreadPool()
        : this(new NativeThreadPoolOptions())
    {
    }

    /// <summary>Creates a pool. No thread is started before the first item.</summary>
    /// <param name="options">Copied; later changes have no effect.</param>
    /// <exception cref="ArgumentNullException"><paramref name="options"/> is null.</exception>
    /// <exception cref="ArgumentOutOfRangeException">An option is out of its range; the message names both.</exception>
    /// <exception cref="PlatformNotSupportedException">The native library is missing or of another version.</exception>
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
        if (_options.QueueLimit is { } limit)
        {
            Places = new QueuePlaces(this, limit);
        }

        _state = new LifecycleState(isLimited: Places is not null);
        _lifecycle = new PoolLifecycle(this);
        Leftovers = new Leftovers(this, _options.UnhandledException);
        LongRunning = new LongRunningThreads(this);
        External = new ExternalLanes(isOneOrder: Places is not null);
        NativeCore.EnsureLoaded();
        Signal = new WorkerSignal();
        Signal.EndMonitoring();
        Metrics = PoolMetrics.Of(meterFactory);
        _waiting = new WaitingItems(this);
        _watch = new PoolWatch(this);
        Roster = new ThreadRoster(_options, Signal, External, index => new Worker(this, index));
        Linger = new LingerPolicy(_options.LingerTime);
        Scheduler = new NativeTaskScheduler(this);
        _resumption = new Resumption(this, context: null);
        Factory = new TaskFactory(CancellationToken.None, TaskCreationOptions.DenyChildAttach, TaskContinuationOptions.None, Scheduler);
        PoolRegistry.Add(this);
        WatchItems(NativeThreadingEventSource.Log.TracesItems); // after it: a trace that begins now sees the pool, or is seen
    }

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
    /// The pool whose thread the calling one is, or <see langword="null"/>: its worker, or the thread of a
    /// <see cref="TaskCreationOptions.LongRunning"/> task of its <see cref="Scheduler"/>.
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

    /// <summary>Runs tasks on this pool.</summary>
    public NativeTaskScheduler Scheduler { get; }

    /// <inheritdoc/>
    TaskScheduler IWorkScheduler.Scheduler => Scheduler;

    /// <summary>Creates tasks that run on this pool.</summary>
    public TaskFactory Factory { get; }

    /// <summary>Workers of the pool at this moment: busy, blocked or parked.</summary>
    public int ThreadCount => Roster.ThreadCount;

    /// <summary>Items that were queued and have not begun; a moment's figure, summed over the queues.</summary>
    public long PendingWorkItemCount => Roster.PendingCount;

    /// <summary>Items that have ended since the pool was created; exact once the pool is quiet.</summary>
    public long CompletedWorkItemCount => Roster.CompletedCount;

    /// <summary>Wakes that were lost and repeated; anything but 0 is a defect of this library.</summary>
    internal long RepairCount => Volatile.Read(ref _repairs);

    /// <summary>Workers that are known to be blocked at this moment.</summary>
    internal int BlockedWorkerCount => Roster.Workers.Count(static worker => worker.IsBlocked);

    internal WorkerSignal Signal { get; }

    internal LingerPolicy Linger { get; }

    internal ExternalLanes External { get; }

    internal int MaxStackSize => _options.MaxStackSize;

    /// <summary>The exception filter of raw items.</summary>
    internal bool Handles(Exception exception) => _options.UnhandledException?.Invoke(exception) == true;

    /// <inheritdoc/>
    public override string ToString() => $"{nameof(NativeThreadPool)} {Name}";
}
