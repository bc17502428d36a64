using NativeThreading.Scheduling;

namespace NativeThreading.Limits;

/// <summary>Calls of <c>Run</c> and <c>RunAsync</c>, which hold their permits themselves.</summary>
internal sealed partial class QueueAdmission
{
    private enum Entry
    {
        Cancelled,
        Admitted,
        HasToWait,
        RunsHere,
    }

    public Task Run(Action action, bool isAsync, WorkView? options, CancellationToken cancellationToken)
    {
        Entry entry = Enter(isAsync, cancellationToken);
        Begin(entry, AdmittedTask.Of(pool, action, options, cancellationToken, out Task task), task, isAsync, cancellationToken);
        return task;
    }

    public Task<TResult> Run<TResult>(Func<TResult> function, bool isAsync, WorkView? options, CancellationToken cancellationToken)
    {
        Entry entry = Enter(isAsync, cancellationToken);
        Begin(entry, AdmittedTask.Of(pool, function, options, cancellationToken, out Task<TResult> task), task, isAsync, cancellationToken);
        return task;
    }

    public Task<TResult> RunOperation<TResult>(Func<Task> function, bool isAsync, WorkView? options, CancellationToken cancellationToken)
    {
        Entry entry = Enter(isAsync, cancellationToken);
        var run = new AdmittedOperation<TResult>(pool, function, options, cancellationToken);
        Begin(entry, run, run.Outcome, isAsync, cancellationToken);
        return run.Outcome;
    }

    /// <summary>Decides how a call continues. An admitted call has a permit. Throws if the call is rejected.</summary>
    private Entry Enter(bool isAsync, CancellationToken cancellationToken)
    {
        Worker? own = pool.BeforeEntry();
        if (cancellationToken.IsCancellationRequested)
        {
            return Entry.Cancelled;
        }

        Chaos.Point("QueueAdmission.Enter");
        if (Permits.TryAcquire())
        {
            Chaos.Point("QueueAdmission.Enter, permit acquired");
            return Entry.Admitted;
        }

        switch (mode)
        {
            case QueueFullMode.Wait when isAsync || own is null:
                return Entry.HasToWait;
            case QueueFullMode.RunOnCaller:
                CallerRun.ThrowUnlessStackIsLeft(pool);
                return Entry.RunsHere;
            default:
                throw Rejection();
        }
    }

    private void Begin(Entry entry, AdmittedRun run, Task outcome, bool isAsync, CancellationToken cancellationToken)
    {
        switch (entry)
        {
            case Entry.Admitted:
                run.Start();
                break;
            case Entry.HasToWait:
                Wait(run, outcome, isAsync, cancellationToken);
                break;
            case Entry.RunsHere:
                pool.OpenOperations.AddFromOutside(outcome);
                CallerRun.Run(run);
                break;
            default:
                run.NeverQueued(); // its task was created with a cancelled token
                break;
        }
    }

    private void Wait(AdmittedRun run, Task outcome, bool isAsync, CancellationToken cancellationToken)
    {
        Waiter waiter = NewWaiter(AdmittedRun.RunGranted, run, run.GrantedContext);
        Chaos.Point("QueueAdmission.Wait, no permit");
        try
        {
            if (isAsync)
            {
                waiter.JoinUnattended(cancellationToken);
            }
            else
            {
                waiter.JoinAndBlock(cancellationToken);
            }
        }
        catch (OperationCanceledException) when (cancellationToken.IsCancellationRequested)
        {
            // The task says so.
        }
        catch (Exception exception)
        {
            // The caller gets the exception. The task's own is marked as seen, and the task lets go of the token.
            outcome.ContinueWith(
                static task => _ = task.Exception, CancellationToken.None, TaskContinuationOptions.ExecuteSynchronously, TaskScheduler.Default);
            Chaos.Point("QueueAdmission.Wait, refused");
            run.Refuse(exception);
            throw;
        }
    }
}
