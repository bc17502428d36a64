using System.Runtime.CompilerServices;
using NativeThreading.Diagnostics;
using NativeThreading.Keyed;
using NativeThreading.Platform;
using NativeThreading.Scheduling;
using NativeThreading.Tasks;

namespace NativeThreading;

// How the calls of Run and RunAsync become tasks and operations.
public sealed partial class NativeThreadPool
{
    /// <summary>Turns the exception of a rejected call into a failed task.</summary>
    internal static TTask RefuseInTask<TTarget, TDelegate, TTask>(
        Func<TTarget, TDelegate, CancellationToken, TTask> run,
        TTarget target,
        TDelegate function,
        Func<Exception, TTask> failed,
        CancellationToken cancellationToken)
    {
        try
        {
            return run(target, function, cancellationToken);
        }
        catch (Exception exception) when (IsRefusal(exception))
        {
            return failed(exception);
        }
    }

    // A scheduler cannot distinguish an entry call from a continuation, so the checks that concern only entry calls are here.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal Task Run(Action action, bool isAsync, WorkView? options, CancellationToken cancellationToken)
    {
        ArgumentNullException.ThrowIfNull(action);
        return Observation is not { IsOn: true } observation
            ? RunUnobserved(action, isAsync, options, cancellationToken)
            : RunObserved(observation, action, isAsync, options, cancellationToken);
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private Task RunUnobserved(Action action, bool isAsync, WorkView? options, CancellationToken cancellationToken)
    {
        if (Admission is not null && (options?.Group is null || Worker.Current?.Pool != this)) // a worker's item of a group needs no permit
        {
            return Admission.Run(action, isAsync, options, cancellationToken);
        }

        BeforeEntry();
        return StartTask(action, options?.Scheduler ?? Scheduler, cancellationToken);
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal Task<TResult> Run<TResult>(Func<TResult> function, bool isAsync, WorkView? options, CancellationToken cancellationToken)
    {
        ArgumentNullException.ThrowIfNull(function);
        return Observation is not { IsOn: true } observation
            ? RunUnobserved(function, isAsync, options, cancellationToken)
            : RunObserved(observation, function, isAsync, options, cancellationToken);
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private Task<TResult> RunUnobserved<TResult>(Func<TResult> function, bool isAsync, WorkView? options, CancellationToken cancellationToken)
    {
        if (Admission is not null)
        {
            return Admission.Run(function, isAsync, options, cancellationToken);
        }

        BeforeEntry();
        return StartTask(function, options?.Scheduler ?? Scheduler, cancellationToken);
    }

    private Task StartTask(Action action, NativeTaskScheduler scheduler, CancellationToken cancellationToken) => cancellationToken.CanBeCanceled
        ? Start(new Task(EntryFunction.RunAction, action, cancellationToken, TaskCreationOptions.DenyChildAttach), scheduler)
        : Factory.StartNew(EntryFunction.RunAction, action, CancellationToken.None, TaskCreationOptions.DenyChildAttach, scheduler);

    private Task<TResult> StartTask<TResult>(Func<TResult> function, NativeTaskScheduler scheduler, CancellationToken cancellationToken) =>
        cancellationToken.CanBeCanceled
            ? Start(new Task<TResult>(EntryFunction.Of<TResult>.Run, function, cancellationToken, TaskCreationOptions.DenyChildAttach), scheduler)
            : Factory.StartNew(EntryFunction.Of<TResult>.Run, function, CancellationToken.None, TaskCreationOptions.DenyChildAttach, scheduler);

    /// <summary>Starts a task with a token. The framework registers with the token of such a task, and not with that of one from
    /// <c>StartNew</c>, which it would cancel only when the task's turn comes.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    internal static TTask Start<TTask>(TTask task, TaskScheduler scheduler)
        where TTask : Task
    {
        try
        {
            if (!task.IsCompleted)
            {
                task.Start(scheduler);
            }
        }
        catch (InvalidOperationException) when (task.IsCompleted)
        {
            // It was cancelled at this moment.
        }

        return task;
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal Task<TResult> RunOperation<TResult>(Func<Task> function, bool isAsync, WorkView? options, CancellationToken cancellationToken)
    {
        ArgumentNullException.ThrowIfNull(function);
        return Observation is not { IsOn: true } observation
            ? RunUnobservedOperation<TResult>(function, isAsync, options, cancellationToken)
            : RunObservedOperation<TResult>(observation, function, isAsync, options, cancellationToken);
    }

    // Separate methods, because a method with a closure allocates it on entry.
    private Task RunObserved(WorkObservation observation, Action action, bool isAsync, WorkView? options, CancellationToken cancellationToken) =>
        ObservedCall.Run(observation, action, options, key: null, call => RunUnobserved(call.Call, isAsync, options, cancellationToken));

    private Task<TResult> RunObserved<TResult>(
        WorkObservation observation, Func<TResult> function, bool isAsync, WorkView? options, CancellationToken cancellationToken) =>
        ObservedCall.Run(observation, function, options, key: null, call => RunUnobserved(call.Call<TResult>, isAsync, options, cancellationToken));

    private Task<TResult> RunObservedOperation<TResult>(
        WorkObservation observation, Func<Task> function, bool isAsync, WorkView? options, CancellationToken cancellationToken) =>
        function.Target is KeyedTurn // its items are observed
            ? RunUnobservedOperation<TResult>(function, isAsync, options, cancellationToken)
            : ObservedCall.Run(
                observation, function, options, key: null, call => RunUnobservedOperation<TResult>(call.Call<Task>, isAsync, options, cancellationToken));

    private Task<TResult> RunUnobservedOperation<TResult>(Func<Task> function, bool isAsync, WorkView? options, CancellationToken cancellationToken)
    {
        if (Admission is not null)
        {
            return Admission.RunOperation<TResult>(function, isAsync, options, cancellationToken);
        }

        BeforeEntry();
        ExecutionContext? flowed = DefaultContext.Flowing();
        Operation<TResult> operation = Operation<TResult>.Of(this, Limited(function, function, flowed, options), cancellationToken);
        if (operation.Task.IsCompleted)
        {
            CancelledItems.Remove(); // cancelled already: it gets no slot
        }
        else
        {
            EnqueueResumption(Operation<TResult>.Begin, operation, flowed, preferLocal: true, options);
        }

        return operation.Task;
    }

    /// <summary>Returns the function that an operation calls: the given one, or one that gets a place for it first. Turns of keyed queues need no
    /// place.</summary>
    internal Func<Task> Limited(Func<Task> function, Delegate subject, ExecutionContext? flowed, WorkView? options) =>
        OperationLimit is null || subject.Target is KeyedTurn || PoolSynchronizationContext.IsOf(this) ? function : new LimitedFunction(this, function, flowed, options).Invoke;
}
