using System.Runtime.CompilerServices;
using NativeThreading.Platform;
using NativeThreading.Queues;
using NativeThreading.Scheduling;
using NativeThreading.Tasks;

namespace NativeThreading.Time;

/// <summary>A call of <c>RunEvery</c>. It waits for its time, runs, and only then is armed again; so it never overlaps itself.</summary>
/// <remarks>Between two runs the token or the shutdown may end the series. During a run they leave that to the end of the run. So the run that has
/// armed the series again checks both once more.</remarks>
internal sealed class RecurringRun : TaskCompletionSource<NoResult>, IDelayedWork, IItemSubject, IEntryCall
{
    private const int Waiting = 0; // armed, or an item that has not started
    private const int Running = 1;
    private const int Over = 2;

    private const string StopMessage = "The token of the shutdown was cancelled, so no further run of the series starts.";

    private static readonly Action<object?> s_run = static series => Unsafe.As<RecurringRun>(series!).RunOnce();

    private readonly NativeThreadPool _pool;
    private readonly Func<Task> _function;
    private readonly CancellationToken _token;
    private readonly Resumption _context;
    private readonly long _period;
    private readonly CancellationTokenRegistration _registration;
    private long _deadline;
    private TimerSlot _slot;
    private int _state;
    private bool _isAdmitted; // the function of this run has started

    /// <param name="pool">The pool.</param>
    /// <param name="period">The time between the starts of two runs.</param>
    /// <param name="function">The user's function.</param>
    /// <param name="isLimited">Whether each run needs a permit.</param>
    /// <param name="cancellationToken">A token that ends the series.</param>
    public RecurringRun(NativeThreadPool pool, TimeSpan period, Func<Task> function, bool isLimited, CancellationToken cancellationToken)
    {
        _pool = pool;
        _function = isLimited ? () => pool.RunAsync(new DueCall<Func<Task>>(function, Admitted).Run, CancellationToken.None) : function;
        Subject = function;
        _isAdmitted = !isLimited;
        IsLimited = isLimited;
        _token = cancellationToken;
        _context = pool.ResumptionIn(DefaultContext.Flowing());
        _period = PoolTimers.Nanoseconds(period);
        _deadline = MonotonicClock.Now;
        _registration = cancellationToken.UnsafeRegister(static series => ((RecurringRun)series!).CancelIfWaiting(), this); // may cancel here
    }

    ref TimerSlot ITimed.Slot => ref _slot;

    NativeThreadPool IDelayedWork.Pool => _pool;

    bool IDelayedWork.EndsWithDrain => true;

    /// <inheritdoc/>
    public Delegate Subject { get; }

    bool IItemSubject.BeginsWork => true;

    private bool IsLimited { get; }

    /// <summary>Arms the series for its next run, unless it has ended. Throws the exception of a failed start of the timer thread.</summary>
    public void Arm()
    {
        _deadline = TimerQueue.NextDeadline(_deadline, _period, MonotonicClock.Now);
        PoolTimers.ArmAt(this, _deadline);
        Chaos.Point("RecurringRun.Arm, armed");
        if (_token.IsCancellationRequested)
        {
            CancelIfWaiting();
        }

        if (Volatile.Read(ref _state) == Over)
        {
            PoolTimers.Disarm(this); // it ended before it was armed
        }

        _pool.EndIfShutDown(this);
    }

    void ITimed.Fire() => _pool.EnqueueAlways(s_run, this, _context, preferLocal: false);

    /// <summary>A series that waits for its time is not counted as dropped, because it has no item.</summary>
    bool IDelayedWork.EndByShutdown(CancellationToken? stopToken)
    {
        if (TryEnd())
        {
            IDelayedWork.Elsewhere(static end => end.Series.Complete(end.StopToken), (Series: this, StopToken: stopToken));
        }

        return false;
    }

    /// <summary>The token of a shutdown has taken the item of a run out of its queue. The item is counted, as that of a run in a limited queue.</summary>
    bool IEntryCall.TryAbandon(CancellationToken stopToken)
    {
        bool ends = TryEnd();
        if (ends)
        {
            this.SetCanceled(CancelledTask.StopError(stopToken));
        }

        return ends;
    }

    /// <summary>Ends the series between two runs.</summary>
    private bool TryEnd()
    {
        bool ends = Interlocked.CompareExchange(ref _state, Over, Waiting) == Waiting;
        if (ends)
        {
            _registration.Unregister();
        }

        return ends;
    }

    private void CancelIfWaiting()
    {
        if (TryEnd())
        {
            Chaos.Point("RecurringRun.CancelIfWaiting, over");
            PoolTimers.Disarm(this);
            TrySetCanceled(_token);
        }
    }

    /// <summary>The pool has ended the series, and no item of it was dropped.</summary>
    private void Complete(CancellationToken? stopToken)
    {
        if (stopToken is { } token)
        {
            this.SetCanceled(new TaskCanceledException(StopMessage, innerException: null, token));
        }
        else
        {
            SetResult(default);
        }
    }

    /// <summary>The item of a run.</summary>
    private void RunOnce()
    {
        if (Interlocked.CompareExchange(ref _state, Running, Waiting) != Waiting)
        {
            return;
        }

        _isAdmitted = !IsLimited;
        Task run = _pool.IsStopped ? CompletedCalls.Completed : Call();
        if (run.IsCompleted)
        {
            AfterRun(run);
        }
        else
        {
            _pool.NoteOpen(run);
            new Follower(this, run).Start();
        }
    }

    private Task Call()
    {
        try
        {
            return _function() ?? CompletedCalls.Completed;
        }
        catch (OperationCanceledException exception)
        {
            return CancelledTask.By(exception);
        }
        catch (Exception exception)
        {
            return CompletedCalls.Failed(exception);
        }
    }

    private Task Admitted(Func<Task> function)
    {
        _isAdmitted = true;
        return function();
    }

    private void AfterRun(Task run)
    {
        // A run that the pool has rejected is left out. Its exception counts as observed.
        bool isRejected = !_isAdmitted && run is { IsFaulted: true, Exception.InnerException: { } refusal } && NativeThreadPool.IsRefusal(refusal);
        bool hasFailed = !run.IsCompletedSuccessfully && !isRejected;
        if (hasFailed || _token.IsCancellationRequested || _pool.State.Lifecycle.IsEnding)
        {
            Volatile.Write(ref _state, Over);
            _registration.Unregister();
            if (hasFailed)
            {
                this.SetFrom(run);
            }
            else if (_token.IsCancellationRequested)
            {
                SetCanceled(_token);
            }
            else
            {
                Complete(_pool.StopToken);
            }

            return;
        }

        Interlocked.Exchange(ref _state, Waiting); // before the token and the shutdown are checked again
        try
        {
            Arm();
        }
        catch (Exception exception) when (exception is OutOfMemoryException or ThreadStartException)
        {
            if (TryEnd())
            {
                SetException(exception);
            }
        }
    }

    private sealed class Follower(RecurringRun series, Task run) : CompletionContext
    {
        protected override NativeThreadPool Pool => series._pool;

        public void Start() => Observe(run);

        protected override void TasksCompleted(int count) => CompleteHere(run.CreationOptions);

        protected override void Complete() => series.AfterRun(run);
    }
}

/// <summary>Synchronous functions as functions that return a completed task. A delegate that is bound to the user's delegate allocates no closure,
/// and observers find the user's delegate in it.</summary>
internal static class CompletedCalls
{
    public static Task Completed => Task.CompletedTask;

    public static Task Failed(Exception exception) => Task.FromException(exception);

    public static Task RunToCompletion(this Action action)
    {
        action();
        return Completed;
    }

    public static Task RunToResult<TResult>(this Func<TResult> function) => Task.FromResult(function());
}
