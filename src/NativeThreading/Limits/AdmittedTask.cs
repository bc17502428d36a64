using NativeThreading.Scheduling;
using NativeThreading.Tasks;

namespace NativeThreading.Limits;

/// <summary>A call of <c>Run</c> with a synchronous function. Its caller gets the task that runs.</summary>
internal sealed class AdmittedTask : AdmittedRun
{
    private readonly WorkView? _itemOptions;
    private Task? _task;

    private AdmittedTask(NativeThreadPool pool, Delegate function, WorkView? options, CancellationToken cancellationToken)
        : base(pool, function, cancellationToken) => _itemOptions = options;

    public override ItemContext GrantedContext => _itemOptions is null ? ContinuationContext.Instance : new ContinuationContext(_itemOptions);

    private NativeTaskScheduler Scheduler => _itemOptions?.Scheduler ?? Pool.Scheduler;

    public static AdmittedTask Of(NativeThreadPool pool, Action action, WorkView? options, CancellationToken cancellationToken, out Task task)
    {
        var run = new AdmittedTask(pool, action, options, cancellationToken);
        run._task = task = new Task(static run => ((AdmittedTask)run!).Take<Action>()(), run, cancellationToken, TaskCreationOptions.DenyChildAttach);
        return run;
    }

    public static AdmittedTask Of<TResult>(
        NativeThreadPool pool, Func<TResult> function, WorkView? options, CancellationToken cancellationToken, out Task<TResult> task)
    {
        var run = new AdmittedTask(pool, function, options, cancellationToken);
        run._task = task = new Task<TResult>(
            static run => ((AdmittedTask)run!).Take<Func<TResult>>()(), run, cancellationToken, TaskCreationOptions.DenyChildAttach);
        return run;
    }

    public override void RunHere() => Scheduler.RunHere(_task!);

    /// <inheritdoc/>
    public override bool TryAbandon(CancellationToken stopToken)
    {
        RefuseWith(CancelledTask.StopError(stopToken));
        if (IsGranted)
        {
            BeginGranted();
        }
        else
        {
            Scheduler.Execute(_task!);
        }

        return IsRefused();
    }

    /// <inheritdoc/>
    public override bool TryAbandonWaiting(CancellationToken stopToken)
    {
        RefuseWith(CancelledTask.StopError(stopToken));
        RunHere();
        return IsRefused();
    }

    /// <summary>The permit decides who was first: the token, which has counted the item, or this.</summary>
    protected override void BeginGranted()
    {
        if (TryForgoPermit())
        {
            Pool.Permits!.Release();
        }
        else
        {
            Pool.CancelledItems.Remove();
        }

        RunHere();
    }

    /// <summary>In a queue of the scheduler the task itself is counted.</summary>
    protected override void Cancelled()
    {
        if (TryForgoPermit())
        {
            if (IsGranted)
            {
                Pool.CancelledItems.Add(); // first: code that finds the place free finds the count right
            }

            Pool.Permits!.Release();
        }
    }

    protected override void Enqueue() => NativeThreadPool.Start(_task!, Scheduler);

    protected override void BeginElsewhere() => NativeThreadPool.Start(_task!, TaskScheduler.Default);

    private bool IsRefused()
    {
        bool isRefused = !HasStarted && _task!.IsFaulted;
        _ = isRefused ? _task!.Exception : null; // seen: a task that is not awaited is no unobserved failure
        return isRefused;
    }
}
