using System.Runtime.CompilerServices;

namespace NativeThreading.Testing;

// Starting operations and continuing them, with a context for their awaits.
public sealed partial class ManualThreadPool
{
    /// <inheritdoc/>
    public SwitchToAwaitable SwitchTo() => new(_operationContext);

    /// <summary>Queues a callback that continues an operation; never rejected.</summary>
    internal void Resume(SendOrPostCallback callback, object? state, ExecutionContext? context) => Add(
        new ManualWorkItem(
            _ =>
            {
                InstallContext();
                callback(state); // what it throws leaves the call that runs the item
            },
            null,
            context) { IsContinuation = true });

    /// <summary>A caller's thread has one of its own, so that nothing of the pool continues in place there.</summary>
    private void InstallContext() =>
        SynchronizationContext.SetSynchronizationContext((Current == this, ManualWorkItem.Running?.View) switch
        {
            (true, { } view) => view.OperationContext,
            (true, null) => _operationContext,
            (false, var view) => new ManualSynchronizationContext(this, view),
        });

    private Task Begin(Func<Task> function, ManualRefusal refusal)
    {
        if (refusal.Outcome() is { } refused)
        {
            return refused;
        }

        InstallContext();
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

    private Task<TResult> Begin<TResult>(Func<Task<TResult>> function, ManualRefusal refusal)
    {
        if (refusal.Outcome<TResult>() is { } refused)
        {
            return refused;
        }

        InstallContext();
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
