using NativeThreading.Async;
using NativeThreading.Limits;
using NativeThreading.Workers;

namespace NativeThreading;

/// <summary>Tasks at the entry of a pool whose queue is limited.</summary>
public sealed partial class NativeThreadPool
{
    /// <summary>What a loop runs here: its thread does not block for a place.</summary>
    internal Task RunWithoutBlocking(Action work, CancellationToken cancellationToken) =>
        Places is null ? Run(work, cancellationToken) : RunAsync(work, cancellationToken);

    /// <inheritdoc cref="RunWithoutBlocking(Action, CancellationToken)"/>
    internal Task<TResult> RunWithoutBlocking<TResult>(Func<TResult> work, CancellationToken cancellationToken) =>
        Places is null ? Run(work, cancellationToken) : RunAsync(work, cancellationToken);

    /// <inheritdoc cref="RunWithoutBlocking(Action, CancellationToken)"/>
    internal Task RunWithoutBlocking(Func<Task> work, CancellationToken cancellationToken) =>
        Places is null ? Run(work, cancellationToken) : RunAsync(work, cancellationToken);

    /// <inheritdoc cref="RunWithoutBlocking(Action, CancellationToken)"/>
    internal Task<TResult> RunWithoutBlocking<TResult>(Func<Task<TResult>> work, CancellationToken cancellationToken) =>
        Places is null ? Run(work, cancellationToken) : RunAsync(work, cancellationToken);

    /// <summary>Run and RunAsync where the queue has a limit.</summary>
    private TTask EnterRun<TDelegate, TTask>(LimitedRun<TDelegate, TTask> run, bool isAsync)
        where TDelegate : Delegate
        where TTask : Task
    {
        try
        {
            Worker? own = BeforeGuardedEntry();
            if (run.CancellationToken.IsCancellationRequested)
            {
                return run.Cancelled();
            }

            Chaos.Point("NativeThreadPool.EnterRun, admitted");
            if (Places!.TryEnter())
            {
                Chaos.Point("NativeThreadPool.EnterRun, place taken");
                TTask started = run.Create();
                run.Start();
                return started;
            }

            switch (QueueFullMode)
            {
                case QueueFullMode.Wait when isAsync || own is null:
                    return Wait(run, own, isAsync);
                case QueueFullMode.RunOnCaller:
                    CallerRun.ThrowUnlessStackIsLeft(this);
                    break;
                default:
                    throw Rejection();
            }
        }
        catch (Exception exception) when (isAsync && IsRefusal(exception))
        {
            return run.Failed(exception);
        }

        TTask outcome = run.Create();
        OpenOperations.AddFromOutside(outcome);
        CallerRun.Run(run);
        return outcome;
    }

    private TTask Wait<TDelegate, TTask>(LimitedRun<TDelegate, TTask> run, Worker? own, bool isAsync)
        where TDelegate : Delegate
        where TTask : Task
    {
        TTask outcome = run.Create();
        WaitingItem item = WaitingFor(own, LimitedRun.RunWaiting, run, ContinuationContext.Instance);
        Chaos.Point("NativeThreadPool.Wait, no place");
        try
        {
            if (isAsync)
            {
                item.JoinUnattended(run.CancellationToken);
            }
            else
            {
                item.JoinAndBlock(run.CancellationToken);
            }
        }
        catch (OperationCanceledException) when (run.CancellationToken.IsCancellationRequested)
        {
            // So the task says.
        }
        catch (Exception exception)
        {
            // The caller gets the exception, not the task; the task lets go of the token.
            outcome.ContinueWith(
                static task => _ = task.Exception, CancellationToken.None, TaskContinuationOptions.ExecuteSynchronously, TaskScheduler.Default);
            Chaos.Point("NativeThreadPool.Wait, refused");
            run.Refuse(exception);
            throw;
        }

        return outcome;
    }

    /// <summary>What a call that returns a task reports in the task.</summary>
    private static bool IsRefusal(Exception exception) =>
        exception is QueueFullException or ObjectDisposedException or OutOfMemoryException or ThreadStartException;
}
