using NativeThreading.Diagnostics;
using NativeThreading.Keyed;

namespace NativeThreading.Testing;

// Running delegates as tasks of this pool, with the meaning the calls have on a NativeThreadPool.
public sealed partial class ManualThreadPool
{
    /// <summary>The options of the task that starts an operation. It has the default scheduler and no parent.</summary>
    private const TaskCreationOptions OfOperations = TaskCreationOptions.DenyChildAttach | TaskCreationOptions.HideScheduler;

    /// <inheritdoc/>
    public Task Run(Action action, CancellationToken cancellationToken = default) => Enter(action, isAsync: false, cancellationToken);

    /// <inheritdoc/>
    public Task<TResult> Run<TResult>(Func<TResult> function, CancellationToken cancellationToken = default) =>
        Enter(function, isAsync: false, cancellationToken);

    /// <inheritdoc/>
    public Task Run(Func<Task> function, CancellationToken cancellationToken = default) => Enter(function, isAsync: false, cancellationToken);

    /// <inheritdoc/>
    public Task<TResult> Run<TResult>(Func<Task<TResult>> function, CancellationToken cancellationToken = default) =>
        Enter(function, isAsync: false, cancellationToken);

    /// <inheritdoc/>
    public Task RunAsync(Action action, CancellationToken cancellationToken = default) => Enter(action, isAsync: true, cancellationToken);

    /// <inheritdoc/>
    public Task<TResult> RunAsync<TResult>(Func<TResult> function, CancellationToken cancellationToken = default) =>
        Enter(function, isAsync: true, cancellationToken);

    /// <inheritdoc/>
    public Task RunAsync(Func<Task> function, CancellationToken cancellationToken = default) => Enter(function, isAsync: true, cancellationToken);

    /// <inheritdoc/>
    public Task<TResult> RunAsync<TResult>(Func<Task<TResult>> function, CancellationToken cancellationToken = default) =>
        Enter(function, isAsync: true, cancellationToken);

    internal Task Enter(Action action, bool isAsync, CancellationToken token)
    {
        ArgumentNullException.ThrowIfNull(action);
        return Observe(action, isAsync, Task.FromException, call =>
        {
            Action called = call is null ? action : call.Call;
            return Enter(
                refusal =>
                {
                    var task = new Task(
                        () =>
                        {
                            refusal.ThrowIfSet();
                            called();
                        },
                        token,
                        TaskCreationOptions.DenyChildAttach);
                    return (task, task);
                },
                isOperation: false,
                isAsync,
                token);
        });
    }

    internal Task<TResult> Enter<TResult>(Func<TResult> function, bool isAsync, CancellationToken token)
    {
        ArgumentNullException.ThrowIfNull(function);
        return Observe(function, isAsync, Task.FromException<TResult>, call =>
        {
            Func<TResult> called = call is null ? function : call.Call<TResult>;
            return Enter(
                refusal =>
                {
                    var task = new Task<TResult>(
                        () =>
                        {
                            refusal.ThrowIfSet();
                            return called();
                        },
                        token,
                        TaskCreationOptions.DenyChildAttach);
                    return (task, task);
                },
                isOperation: false,
                isAsync,
                token);
        });
    }

    internal Task Enter(Func<Task> function, bool isAsync, CancellationToken token)
    {
        ArgumentNullException.ThrowIfNull(function);
        return Observe(function, isAsync, Task.FromException, call =>
        {
            Func<Task> called = call is null ? function : call.Call<Task>;
            return Enter(
                refusal =>
                {
                    var task = new Task<Task>(() => Begin(called, refusal), token, OfOperations);
                    return (task, task.Unwrap());
                },
                isOperation: function.Target is not KeyedTurn,
                isAsync,
                token);
        });
    }

    internal Task<TResult> Enter<TResult>(Func<Task<TResult>> function, bool isAsync, CancellationToken token)
    {
        ArgumentNullException.ThrowIfNull(function);
        return Observe(function, isAsync, Task.FromException<TResult>, call =>
        {
            Func<Task<TResult>> called = call is null ? function : call.Call<Task<TResult>>;
            return Enter(
                refusal =>
                {
                    var task = new Task<Task<TResult>>(() => Begin(called, refusal), token, OfOperations);
                    return (task, task.Unwrap());
                },
                isOperation: true,
                isAsync,
                token);
        });
    }

    /// <summary>Has a call observed, unless it is rejected or is the turn of a keyed queue, whose items are observed.</summary>
    private TTask Observe<TTask>(Delegate function, bool isAsync, Func<Exception, TTask> failed, Func<ObservedCall?, TTask> enter)
        where TTask : Task
    {
        try
        {
            return Observation is { IsOn: true } observation && function.Target is not KeyedTurn
                ? ObservedCall.Run(observation, function, ManualWorkView.Current, key: null, enter)
                : enter(null);
        }
        catch (Exception exception) when (isAsync && exception is QueueFullException or ObjectDisposedException)
        {
            return failed(exception);
        }
    }

    private TTask Enter<TTask>(
        Func<ManualRefusal, (Task Task, TTask Outcome)> create, bool isOperation, bool isAsync, CancellationToken cancellationToken)
        where TTask : Task
    {
        ThrowIfShutDown();
        var refusal = new ManualRefusal();
        if (cancellationToken.IsCancellationRequested)
        {
            return create(refusal).Outcome;
        }

        ManualWorkItem item = null!;
        Task task = null!;
        TTask outcome = null!;
        ManualTaskScheduler scheduler = ManualWorkView.Current?.Scheduler ?? _scheduler;
        item = new ManualWorkItem(
            _ =>
            {
                scheduler.Execute(task);
                if (outcome.IsCompleted)
                {
                    _queue.LeavePlace(item); // it may have been cancelled before it had the place
                }
            },
            null,
            context: null)
        {
            IsHeldByPause = IsOutside,
            NeedsPlace = isOperation && MaxConcurrentOperations is not null && !ManualSynchronizationContext.IsOf(this),
            Refusal = refusal,
            IsFromOutside = Current != this,
            Admit = () =>
            {
                Create();
                return scheduler.TryStart(task, item);
            },
        };
        if (!_queue.TryEnter(item))
        {
            switch (_mode)
            {
                case QueueFullMode.Wait when isAsync:
                    Create();
                    _queue.EnterOrJoin(item);
                    break;
                case QueueFullMode.RunOnCaller:
                    ThrowUnlessStackIsLeft();
                    Create();
                    new ManualWorkItem(_ => scheduler.RunHere(task), null, context: null).Run();
                    break;
                default:
                    throw QueueFull();
            }
        }

        if (cancellationToken.IsCancellationRequested)
        {
            _queue.Remove(item); // cancelled before it was there to be removed
        }

        SettleIfStopped();
        return outcome;

        void Create()
        {
            if (task is null)
            {
                // Before the task's own: callbacks of a token are called last in, first out.
                item.Registration = cancellationToken.UnsafeRegister(_ => _queue.Remove(item), null);
                (task, outcome) = create(refusal);
                CountOpen(outcome, item);
            }
        }
    }
}
