using System.Runtime.CompilerServices;
using System.Runtime.ExceptionServices;

namespace NativeThreading.Testing;

/// <summary>Going on with operations, under the scheduler and with a context for their awaits.</summary>
public sealed partial class ManualThreadPool
{
    /// <summary>Queues what goes on with an operation; never refused.</summary>
    internal void Resume(SendOrPostCallback callback, object? state, ExecutionContext? context) =>
        _queue.Add(new ManualWorkItem(_ => ResumeHere(callback, state), null, context));

    private void ResumeHere(SendOrPostCallback callback, object? state)
    {
        ExceptionDispatchInfo? failure = null;
        _scheduler.RunHere(new Task(
            () =>
            {
                SynchronizationContext.SetSynchronizationContext(new ManualSynchronizationContext(this));
                try
                {
                    callback(state);
                }
                catch (Exception exception)
                {
                    failure = ExceptionDispatchInfo.Capture(exception);
                }
            },
            TaskCreationOptions.DenyChildAttach));
        failure?.Throw(); // what was posted threw: not the task's, as what a raw item throws
    }

    private Task Begin(Func<Task> function)
    {
        SynchronizationContext.SetSynchronizationContext(new ManualSynchronizationContext(this));
        try
        {
            return function() ?? throw new TaskCanceledException();
        }
        catch (OperationCanceledException exception)
        {
            var cancelled = AsyncTaskMethodBuilder.Create(); // as on a NativeThreadPool; the task throws this very exception
            cancelled.SetException(exception);
            return cancelled.Task;
        }
    }

    private Task<TResult> Begin<TResult>(Func<Task<TResult>> function)
    {
        SynchronizationContext.SetSynchronizationContext(new ManualSynchronizationContext(this));
        try
        {
            return function() ?? throw new TaskCanceledException();
        }
        catch (OperationCanceledException exception)
        {
            var cancelled = AsyncTaskMethodBuilder<TResult>.Create();
            cancelled.SetException(exception);
            return cancelled.Task;
        }
    }
}
