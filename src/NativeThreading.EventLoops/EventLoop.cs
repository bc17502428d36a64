using System.Diagnostics;
using System.Diagnostics.Metrics;
using NativeThreading.EventLoops.Diagnostics;
using NativeThreading.EventLoops.Timers;
using NativeThreading.EventLoops.Turns;
using NativeThreading.Platform;
using NativeThreading.Queues;
using NativeThreading.Tasks;
using NativeThreading.Tracing;

namespace NativeThreading.EventLoops;

/// <summary>One named thread that runs callbacks, fires timers and calls handlers of ready descriptors, one after the other. So code on a loop needs no lock
/// against other code on the same loop. Timers and descriptors of a loop never use the built-in thread pool.</summary>
/// <remarks>
/// <para>All members may be called from any thread at any time unless they say otherwise.</para>
/// <para>A turn of the loop is one poll, then the due timers and ready descriptors, then the posted callbacks, some hundreds at
/// most. None of the three can starve the others. Callbacks of one thread run in the order in which it posted them. On the
/// loop's thread <see cref="SynchronizationContext.Current"/> is the loop's, so awaits resume on the loop. The page "Where code runs" of the documentation
/// follows a callback from posting to its end.</para>
/// <para>A loop holds its thread until it is shut down or disposed. Descriptors need the native core and Linux.</para>
/// </remarks>
/// <example>
/// <code>
/// await using var loop = new EventLoop(new EventLoopOptions { Name = "io" });
/// loop.Post(static _ =&gt; Console.WriteLine("on the loop"), null);
/// </code>
/// </example>
[DebuggerDisplay("{Name}: {PendingCallbackCount} pending")]
[DebuggerTypeProxy(typeof(LoopView))]
public sealed partial class EventLoop : IDisposable, IAsyncDisposable
{
    private readonly CoreLoop _native;
    private readonly LoopThread _thread;

    /// <summary>Creates a loop with default options and starts its thread.</summary>
    /// <inheritdoc cref="EventLoop(EventLoopOptions)" path="/exception[not(@cref='T:System.ArgumentNullException')]"/>
    public EventLoop()
        : this(new EventLoopOptions())
    {
    }

    /// <summary>Creates a loop and starts its thread.</summary>
    /// <param name="options">The options. They are copied; later changes have no effect.</param>
    /// <exception cref="ArgumentNullException"><paramref name="options"/> is null, or its name is.</exception>
    /// <exception cref="ArgumentException">The name is empty or white space.</exception>
    /// <exception cref="ArgumentOutOfRangeException">An option is out of range; the message contains its name and its range.</exception>
    /// <exception cref="PlatformNotSupportedException">A setting requires the native core, and its library is missing or of another version.</exception>
    /// <exception cref="InvalidOperationException">The process may open no more descriptors, or a filter of system calls forbids one that a loop
    /// needs. The message names the system call and errno.</exception>
    /// <exception cref="OutOfMemoryException">No thread could be started.</exception>
    public EventLoop(EventLoopOptions options)
        : this(options, meterFactory: null)
    {
    }

    /// <summary>Creates a loop that reports to a meter of a factory, and starts its thread.</summary>
    /// <param name="options">The options. They are copied; later changes have no effect.</param>
    /// <param name="meterFactory">The factory that creates the meter <c>NativeThreading</c>. The factory of a container disposes the meter with the container.
    /// If <see langword="null"/>, the loop reports to the meter of the process, which all other loops share.</param>
    /// <inheritdoc cref="EventLoop(EventLoopOptions)" path="/exception"/>
    public EventLoop(EventLoopOptions options, IMeterFactory? meterFactory)
    {
        ArgumentNullException.ThrowIfNull(options);
        options = options.Validated();
        CoreChoice.EnsureUsable();

        Name = options.Name;
        _native = CoreLoop.Create();
        Queue = new LoopQueue(_native);
        SynchronizationContext = new LoopSynchronizationContext(this);
        Scheduler = new LoopTaskScheduler(this);
        TimeProvider = new LoopTimeProvider(this);
        Lifecycle = new LoopLifecycle(this, new OrphanQueue(SynchronizationContext, options.UnhandledException));
        Offloads = new Offloads(this);
        Metrics = LoopMetrics.Of(meterFactory);
        Number = LoopRegistry.Add(this);
        NativeThreadingEventSource.EnsureExists();
        _thread = new LoopThread(this, options);
        try
        {
            HandOver = options.HandsOverWhenBlocked
                ? new LoopHandOver(this, options.MaxBlockedThreads, options.MaxRescueThreads ?? options.MaxBlockedThreads, options.HandsOverWhenComputing)
                : null;
            _thread.Start();
        }
        catch
        {
            HandOver?.Dispose();
            _native.Close();
            throw;
        }
    }

    /// <summary>Gets the loop on whose thread the caller runs; <see langword="null"/> on other threads.</summary>
    public static EventLoop? Current => LoopThread.CurrentLoop is { IsInLoop: true } loop ? loop : null;

    /// <summary>Gets the name of the loop.</summary>
    public string Name { get; }

    /// <summary>Gets whether the caller runs on the loop's thread. With <see cref="EventLoopOptions.HandsOverWhenBlocked"/> the answer may change
    /// inside a callback: once another thread has taken over, it is <see langword="false"/>.</summary>
    public bool IsInLoop => LoopThread.CurrentLoop == this && (HandOver is null || LoopDriver.Current!.Drives(this));

    /// <summary>Gets a context that posts to this loop. It is current on the loop's thread. Its posts are continuations, which are never rejected.</summary>
    /// <remarks>The execution context does not flow with them, because async methods carry their own. On the loop's thread <c>Send</c> runs the callback at
    /// once; on other threads it blocks until the loop has run the callback.</remarks>
    public SynchronizationContext SynchronizationContext { get; }

    /// <summary>Gets a scheduler that runs tasks on this loop, one at a time. It never rejects continuations.</summary>
    public TaskScheduler Scheduler { get; }

    /// <summary>Gets a provider whose timers fire on this loop: for <see cref="Task.Delay(TimeSpan, TimeProvider)"/>,
    /// <see cref="PeriodicTimer"/> and <see cref="CancellationTokenSource"/>. Its clock is the system's.</summary>
    /// <remarks>A timer that is created while the loop shuts down or has stopped is a timer of the runtime, and its callback is queued as a
    /// continuation. The same holds for timers that are armed when the loop stops. So no await of a delay hangs.</remarks>
    public TimeProvider TimeProvider { get; }

    /// <summary>Gets the number of callbacks that are posted and have not started: a snapshot.</summary>
    /// <remarks>A cancelled operation or task does not count, although its slot stays in the queue until its turn comes.</remarks>
    public long PendingCallbackCount => Math.Max(0, Queue.Callbacks.Count + Deferred.Count - CancelledCallbacks.Count);

    /// <summary>Gets the number of continuations, tasks and completions of offloaded work that came after the loop had stopped. They ran on the
    /// built-in pool instead, one at a time and in order, so no async method hangs because its loop has stopped. The loop rejects posts then.</summary>
    public long RanElsewhereCount => Lifecycle.RanElsewhereCount;

    internal Thread? Thread => _thread.Thread; // for a debugger, like the next two
    internal WorkItem[] PendingCallbacks => [.. Deferred.Snapshot(), .. Queue.Callbacks.PendingItems()];
    internal object[] ArmedAndRegistered => Targets.Snapshot();
    internal bool IsDraining => Lifecycle.IsDraining;
    internal bool IsStopped => Lifecycle.IsStopped;
    internal EventLoopStats Stats => _native.Stats;
    internal ref readonly CoreLoop Native => ref _native; // for calls by the loop's thread
    internal LoopQueue Queue { get; }
    internal DeferredCallbacks Deferred { get; } = new();
    internal CancelledItems CancelledCallbacks { get; } = new(); // they still occupy slots
    internal LoopLifecycle Lifecycle { get; }
    internal Offloads Offloads { get; }
    internal TargetTable Targets { get; } = new(); // for the loop's thread
    internal LoopTurns Turns { get; } = new();
    internal LoopMetrics Metrics { get; }
    internal int Number { get; } // by which observers recognize the loop
    internal LoopHandOver? HandOver { get; } // null: a blocked callback blocks the loop

    /// <summary>Whether the caller runs a callback of this loop, though another thread may drive the loop by now.</summary>
    internal bool IsOnThread => LoopThread.CurrentLoop == this;

    /// <summary>Rejects new work from other threads, runs all accepted work, cancels timers and registrations, and ends the thread.
    /// Accepted work includes callbacks that callbacks post, continuations of async methods, operations of <c>InvokeAsync</c>, and offloaded work with its
    /// completion. Timers fire until then, because async methods may wait for them. Timers of
    /// <see cref="TimeProvider"/> outlive the loop: the runtime's timers take over. Later calls join the first one.</summary>
    /// <param name="cancellationToken">A token that ends the wait. Callbacks that have not started are dropped. The running callback continues.</param>
    /// <returns>A task with the number of dropped callbacks: 0 unless <paramref name="cancellationToken"/> was cancelled. Dropped operations of
    /// <c>InvokeAsync</c> are cancelled. Continuations and tasks are never dropped: they run on the built-in
    /// pool, one at a time and in order, after the running callback.</returns>
    /// <remarks>A callback may call this, but must not wait for the returned task: it would wait for itself.</remarks>
    public Task<long> ShutdownAsync(CancellationToken cancellationToken) => Lifecycle.BeginShutdown(cancellationToken);

    /// <summary>Shuts the loop down and waits for it: <see cref="ShutdownAsync"/> without a token.</summary>
    /// <returns>A task that completes when the loop has stopped.</returns>
    public ValueTask DisposeAsync() => new(ShutdownAsync(CancellationToken.None));

    /// <summary>Shuts the loop down and waits until its work has completed. On the loop's own thread it only starts the shutdown, because a loop
    /// cannot wait for itself.</summary>
    public void Dispose()
    {
        Task<long> stopped = ShutdownAsync(CancellationToken.None);
        if (!IsOnThread)
        {
            _thread.JoinUntil(stopped);
        }
    }

    /// <inheritdoc/>
    public override string ToString() => $"{nameof(EventLoop)} {Name}";

    /// <summary>The calling thread is about to block: if it runs a callback of a loop that hands over, another thread takes the loop over.</summary>
    internal static void RelieveCurrent() => LoopDriver.Current?.Relieve();

    /// <summary>Starts a thread that takes the loop over from the callback with that number, if the callback still runs. Throws if no thread can be
    /// started.</summary>
    internal void StartDriver(long number) => _thread.StartDriver(number);

    /// <summary>A timer was armed. Only for the loop's thread.</summary>
    internal void ExpectTimer(long deadline) => _thread.ExpectTimer(deadline);
}
