namespace NativeThreading;

// Options for the work that is queued, and what changes a running pool: pause, resize, waiting until it is idle.
public sealed partial class NativeThreadPool
{
    private long _expired;

    /// <summary>Gets whether the pool is paused.</summary>
    public bool IsPaused => Injector.IsPaused;

    /// <summary>Gets the number of items that have expired: they did not start within <see cref="WorkOptions.StartWithin"/>.</summary>
    public long ExpiredWorkItemCount => Volatile.Read(ref _expired);

    /// <summary>Gets the most operations in flight, or <see langword="null"/> if there is no limit.</summary>
    public int? MaxConcurrentOperations => _options.MaxConcurrentOperations;

    /// <summary>Returns a view of this pool: all that is queued through it has these options.</summary>
    /// <param name="options">The options. A time limit starts again with each call of the view, and a token belongs to all of them.</param>
    /// <returns>A scheduler that queues to this pool. Its <see cref="IWorkScheduler.Scheduler"/> gives tasks the name and the priority. The view is a few
    /// objects: keep it if many items have the same options.</returns>
    /// <remarks>
    /// <para>If the options have a time limit, or a token in addition to that of the call, tasks and operations are cancelled with a token of their own,
    /// not with the caller's. A raw item with a time limit or a token costs as much as a task, and the task of
    /// <see cref="IWorkScheduler.QueueAsync(WaitCallback, object?, CancellationToken)"/> then completes when the item has run.</para>
    /// </remarks>
    /// <exception cref="ArgumentOutOfRangeException"><see cref="WorkOptions.Priority"/> is not defined, or <see cref="WorkOptions.StartWithin"/> is
    /// negative.</exception>
    /// <example><code>
    /// IWorkScheduler background = pool.WithOptions(new WorkOptions { Name = "compaction", Priority = WorkPriority.Low });
    /// await background.Run(() =&gt; Compact(index));
    /// </code></example>
    public IWorkScheduler WithOptions(WorkOptions options)
    {
        options.Validate();
        return options == default ? this : new WorkView(this, options);
    }

    /// <summary>Holds back work that has not started, until <see cref="Resume"/>. Started work continues: continuations, posts to the pool's context, and
    /// items that running items queue. Does nothing if the pool is paused or shuts down.</summary>
    /// <remarks>
    /// <para>Queueing calls succeed meanwhile: their items wait, and count. In a pool with <see cref="QueueLimit"/> the queue may become full. Items that
    /// workers have already taken, at most a batch each, still run. A wait for a <see cref="WorkGroup"/> lasts until the pool is resumed, unless a worker of
    /// the pool waits, which runs the group's items itself. The shutdown resumes the pool.</para>
    /// <para>A paused pool uses no CPU time.</para>
    /// </remarks>
    /// <example><code>
    /// pool.Pause();
    /// await store.SwitchToReplicaAsync();
    /// pool.Resume();
    /// </code></example>
    public void Pause()
    {
        if (!State.Lifecycle.IsEnding && Roster.SetPaused(true))
        {
            SortHeld(); // for items that continue work and were queued before
            if (State.Lifecycle.IsEnding)
            {
                Resume(); // a shutdown that started meanwhile may have resumed the pool before this pause
            }
        }
    }

    /// <summary>Ends a pause. Held work starts, in the order in which it was queued. Does nothing if the pool is not paused.</summary>
    public void Resume()
    {
        if (Roster.SetPaused(false))
        {
            Requests.RequestForPending();
        }
    }

    /// <summary>Changes the limits of threads. Threads above the new limits complete their current items first.</summary>
    /// <param name="maxThreads">The number of threads that may run at once. At least 1 and <see cref="MinThreads"/>, at most
    /// <see cref="NativeThreadPoolOptions.ThreadLimit"/>.</param>
    /// <param name="maxBlockedThreads">The number of threads that may be blocked at once. Between 0 and <see cref="NativeThreadPoolOptions.ThreadLimit"/>.</param>
    /// <remarks>The limit of rescue threads stays as it was when the pool was created, or is 0 while <paramref name="maxBlockedThreads"/> is 0.</remarks>
    /// <exception cref="ArgumentOutOfRangeException">A limit is out of its range.</exception>
    /// <exception cref="ObjectDisposedException">The pool is shutting down.</exception>
    public void Resize(int maxThreads, int maxBlockedThreads)
    {
        OptionRange.ThrowUnlessInRange(nameof(maxThreads), maxThreads, Math.Max(1, MinThreads), NativeThreadPoolOptions.ThreadLimit);
        OptionRange.ThrowUnlessInRange(nameof(maxBlockedThreads), maxBlockedThreads, 0, NativeThreadPoolOptions.ThreadLimit);
        ThrowIfShutDown();
        Roster.Resize(maxThreads, maxBlockedThreads);
        Requests.RequestForPending();
    }

    /// <summary>Waits, without a thread, until the pool has no work: no item waits or runs, and no operation is open.</summary>
    /// <param name="cancellationToken">A token that ends the wait.</param>
    /// <returns>A task that completes when the pool was idle for a moment after the call, or has stopped. It is cancelled if
    /// <paramref name="cancellationToken"/> is cancelled first. Any thread may queue work meanwhile, so the pool may be at work again.</returns>
    /// <remarks>An operation of the pool that awaits the task waits for itself, indefinitely. While the pool is paused, held work counts as
    /// work. A <see cref="TaskCreationOptions.LongRunning"/> task does not count.</remarks>
    /// <example><code>await pool.WaitForIdleAsync(); // in a test: all started work has completed</code></example>
    public Task WaitForIdleAsync(CancellationToken cancellationToken = default) => _lifecycle.WhenIdle(cancellationToken);

    /// <summary>Has the monitor separate the held items that continue work. Model: native/models/pause.pml.</summary>
    private void SortHeld()
    {
        Injector.NoteUnsorted();
        Chaos.Point("NativeThreadPool.SortHeld, noted");
        BeginMonitoring();
    }

    /// <summary>An item has expired.</summary>
    internal void NoteExpired() => Interlocked.Increment(ref _expired);
}
