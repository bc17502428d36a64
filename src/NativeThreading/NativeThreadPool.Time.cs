using NativeThreading.Tasks;
using NativeThreading.Time;

namespace NativeThreading;

// Delays, periods and timers.
public sealed partial class NativeThreadPool
{
    private PoolTimeProvider? _timeProvider;
    private int _hasDelayedWork; // 1: a shutdown must search for such work

    /// <summary>Gets the time of the system, with timers whose callbacks run on this pool.</summary>
    /// <remarks>
    /// <para>Pass it to any method that takes a <see cref="System.TimeProvider"/>. Its clock and time zone are those of
    /// <see cref="TimeProvider.System"/>. All pools of the process share one timer thread, which does not use the built-in pool.</para>
    /// <para>A timer never fires before its time. Its callback runs in the execution context of its creation. Code after an <c>await</c> in the callback
    /// resumes on the pool. A callback is never rejected: it needs no permit of a limited queue, and after a shutdown it runs on the built-in pool,
    /// because an async method may wait for it. A pending timer does not keep the pool from stopping. If a callback still waits in the queue when the
    /// timer is due again, it runs once for both. After <see cref="ITimer.Change"/> or a disposal no callback of the earlier setting starts. Callbacks are
    /// queued in the order in which their timers are due, up to 64 overdue ones at a time.</para>
    /// <para>An armed timer stays alive without a reference to it: a repeating timer fires until it is disposed. A timer takes at most 100 bytes.</para>
    /// </remarks>
    /// <example>
    /// <code>
    /// await Task.Delay(TimeSpan.FromSeconds(1), pool.TimeProvider);
    /// using var timer = new PeriodicTimer(TimeSpan.FromSeconds(1), pool.TimeProvider);
    /// </code>
    /// </example>
    public TimeProvider TimeProvider =>
        Volatile.Read(ref _timeProvider) ?? Interlocked.CompareExchange(ref _timeProvider, new PoolTimeProvider(this), null) ?? _timeProvider;

    /// <summary>Runs an action on this pool after a delay.</summary>
    /// <param name="delay">The time until the action is queued; 0 to 4,294,967,294 ms. It never starts before.</param>
    /// <param name="action">The action to run.</param>
    /// <param name="cancellationToken">A token that cancels the task at once if its function has not started.</param>
    /// <returns>A task with the outcome. If the queue of the pool is full when the delay is over, the call behaves as
    /// <see cref="RunAsync(Action, CancellationToken)"/> does on a worker of this pool.</returns>
    /// <exception cref="ArgumentNullException"><paramref name="action"/> is null.</exception>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="delay"/> is out of range.</exception>
    /// <exception cref="ObjectDisposedException">The pool is shutting down, and the caller is not one of its workers.</exception>
    /// <exception cref="OutOfMemoryException">The timer thread could not be started; nothing was queued.</exception>
    /// <remarks>A shutdown does not wait for the delay. If it starts before the delay is over, the task fails with an
    /// <see cref="ObjectDisposedException"/>, or is cancelled if the token of the shutdown has stopped the pool. A call that an item of this pool has
    /// made may still run while the pool drains, and fails when the pool stops.</remarks>
    /// <example><code>Task retry = pool.RunAfter(TimeSpan.FromSeconds(5), () => Send(message), token);</code></example>
    public Task RunAfter(TimeSpan delay, Action action, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(action);
        return CallAfter<NoResult>(
            delay,
            RunsAtOnce ? action.RunToCompletion : new DueCall<Action>(action, action => RunAsync(action, cancellationToken)).Run,
            cancellationToken);
    }

    /// <summary>Runs a function on this pool after a delay.</summary>
    /// <inheritdoc cref="RunAfter(TimeSpan, Action, CancellationToken)"/>
    /// <param name="delay">The time until the function is queued; 0 to 4,294,967,294 ms. It never starts before.</param>
    /// <param name="function">The function to run.</param>
    /// <param name="cancellationToken">A token that cancels the task at once if its function has not started.</param>
    /// <typeparam name="TResult">The type of the result.</typeparam>
    /// <exception cref="ArgumentNullException"><paramref name="function"/> is null.</exception>
    public Task<TResult> RunAfter<TResult>(TimeSpan delay, Func<TResult> function, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(function);
        return CallAfter<TResult>(
            delay,
            RunsAtOnce ? function.RunToResult : new DueCall<Func<TResult>>(function, function => RunAsync(function, cancellationToken)).Run,
            cancellationToken);
    }

    /// <summary>Runs an async function on this pool after a delay. Its awaits resume on the pool.</summary>
    /// <inheritdoc cref="RunAfter{TResult}(TimeSpan, Func{TResult}, CancellationToken)"/>
    public Task RunAfter(TimeSpan delay, Func<Task> function, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(function);
        return CallAfter<NoResult>(
            delay,
            RunsAtOnce ? function : new DueCall<Func<Task>>(function, function => RunAsync(function, cancellationToken)).Run,
            cancellationToken);
    }

    /// <inheritdoc cref="RunAfter(TimeSpan, Func{Task}, CancellationToken)"/>
    /// <typeparam name="TResult">The type of the result.</typeparam>
    public Task<TResult> RunAfter<TResult>(TimeSpan delay, Func<Task<TResult>> function, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(function);
        return CallAfter<TResult>(
            delay,
            RunsAtOnce ? function : new DueCall<Func<Task<TResult>>>(function, function => RunAsync(function, cancellationToken)).Run,
            cancellationToken);
    }

    /// <summary>Runs an action on this pool again and again, one run at a time.</summary>
    /// <inheritdoc cref="RunEvery(TimeSpan, Func{Task}, CancellationToken)"/>
    /// <param name="period">The time from one start to the next; 1 to 4,294,967,294 ms. The first run starts after one period.</param>
    /// <param name="action">The action to run.</param>
    /// <param name="cancellationToken">A token that ends the series: at once between two runs, otherwise after the current run.</param>
    /// <exception cref="ArgumentNullException"><paramref name="action"/> is null.</exception>
    public Task RunEvery(TimeSpan period, Action action, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(action);
        return RunEvery(period, action.RunToCompletion, cancellationToken);
    }

    /// <summary>Runs an async function on this pool again and again, one run at a time. Its awaits resume on the pool.</summary>
    /// <param name="period">The time from one start to the next; 1 to 4,294,967,294 ms. The first run starts after one period.</param>
    /// <param name="function">The function to run.</param>
    /// <param name="cancellationToken">A token that ends the series: at once between two runs, otherwise after the current run.</param>
    /// <returns>
    /// A task that completes when the series is over: successfully if the pool shuts down, cancelled if
    /// <paramref name="cancellationToken"/> or the token of the shutdown is cancelled, and with the outcome of a run that fails or is cancelled. Such a
    /// run is the last one. Catch exceptions in the function if the series must continue.
    /// </returns>
    /// <exception cref="ArgumentNullException"><paramref name="function"/> is null.</exception>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="period"/> is out of range.</exception>
    /// <exception cref="ObjectDisposedException">The pool is shutting down.</exception>
    /// <exception cref="OutOfMemoryException">The timer thread could not be started.</exception>
    /// <remarks>
    /// Runs never overlap. Starts keep their phase: if a run takes longer than the period, the starts that it misses are left out, and the next run
    /// starts at the next multiple of the period. Each run is new work: in a pool with a full queue it is left out
    /// (<see cref="QueueFullMode.Reject"/>), or waits for a permit (<see cref="QueueFullMode.Wait"/>), or runs all the same
    /// (<see cref="QueueFullMode.RunOnCaller"/>).
    /// </remarks>
    /// <example><code>Task series = pool.RunEvery(TimeSpan.FromMinutes(1), RemoveExpiredEntriesAsync, token);</code></example>
    public Task RunEvery(TimeSpan period, Func<Task> function, CancellationToken cancellationToken = default) =>
        CallEvery(period, function, RunsAtOnce, cancellationToken);

    /// <summary>As <see cref="RunEvery(TimeSpan, Func{Task}, CancellationToken)"/>.</summary>
    /// <param name="period">The period.</param>
    /// <param name="function">The function.</param>
    /// <param name="runsAtOnce">Whether the item that finds the series due calls the function, which may make a call itself.</param>
    /// <param name="cancellationToken">Ends the series.</param>
    internal Task CallEvery(TimeSpan period, Func<Task> function, bool runsAtOnce, CancellationToken cancellationToken)
    {
        ArgumentNullException.ThrowIfNull(function);
        TimerRange.ThrowUnlessPeriod(nameof(period), period);
        ThrowIfShutDown();
        MayHaveDelayedWork();
        var series = new RecurringRun(this, period, function, isLimited: !runsAtOnce, cancellationToken);
        series.Arm();
        return series.Task;
    }

    /// <summary>Whether due work runs in the item that finds it due. If permits or observers count, that item makes a call instead.</summary>
    private bool RunsAtOnce => Admission is null && Observation is null;

    /// <summary>Ends delayed work that was armed after the shutdown had searched for such work.</summary>
    internal void EndIfShutDown(IDelayedWork work)
    {
        if ((work.EndsWithDrain ? State.Lifecycle.IsEnding : IsStopped) && PoolTimers.Disarm(work)
            && work.EndByShutdown(StopToken))
        {
            Leftovers.NoteCancelledLate(1);
        }
    }

    /// <summary>Ends delayed work, because the pool drains or has stopped. Draining ends only work with <see cref="IDelayedWork.EndsWithDrain"/>.
    /// Returns how many calls the token of the shutdown has cancelled.</summary>
    internal int EndDelayedWork(bool isStopped)
    {
        int cancelled = 0;
        if (Volatile.Read(ref _hasDelayedWork) != 0)
        {
            foreach (IDelayedWork work in PoolTimers.Find<IDelayedWork>(work => work.Pool == this && (isStopped || work.EndsWithDrain)))
            {
                cancelled += PoolTimers.Disarm(work) && work.EndByShutdown(StopToken) ? 1 : 0;
            }
        }

        return cancelled;
    }

    /// <summary>Calls a function, which runs the work or makes the call that does, on a worker when it is due.</summary>
    internal Task<TResult> CallAfter<TResult>(TimeSpan delay, Func<Task> function, CancellationToken cancellationToken)
    {
        TimerRange.ThrowUnlessDelay(nameof(delay), delay);
        if (Current != this)
        {
            ThrowIfShutDown();
        }

        MayHaveDelayedWork();
        return DelayedOperation<TResult>.Start(this, delay, function, cancellationToken);
    }

    /// <summary>Called before such work is armed. The first call is a full fence: if a shutdown does not see the mark, the thread that arms sees the
    /// shutdown.</summary>
    private void MayHaveDelayedWork()
    {
        if (Volatile.Read(ref _hasDelayedWork) == 0)
        {
            Interlocked.Exchange(ref _hasDelayedWork, 1);
        }
    }
}
