namespace NativeThreading.Testing;

// Running delegates as tasks of this pool, with the meaning the calls have on a NativeThreadPool.
public sealed partial class ManualThreadPool
{
    /// <summary>Of the task that begins an operation, which finds the default scheduler and no parent.</summary>
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
        return Enter(
            refusal =>
            {
                var task = new Task(
                    () =>
                    {
                        refusal.ThrowIfSet();
                        action();
                    },
                    token,
                    TaskCreationOptions.DenyChildAttach);
                return (task, task);
            },
            Task.FromException,
            isAsync,
            token);
    }

    internal Task<TResult> Enter<TResult>(Func<TResult> function, bool isAsync, CancellationToken token)
    {
        ArgumentNullException.ThrowIfNull(function);
        return Enter(
            refusal =>
            {
                var task = new Task<TResult>(
                    () =>
                    {
                        refusal.ThrowIfSet();
                        return function();
                    },
                    token,
                    TaskCreationOptions.DenyChildAttach);
                return (task, task);
            },
            Task.FromException<TResult>,
            isAsync,
            token);
    }

    internal Task Enter(Func<Task> function, bool isAsync, CancellationToken token)
    {
        ArgumentNullException.ThrowIfNull(function);
        return Enter(
            refusal =>
            {
                var task = new Task<Task>(() => Begin(function, refusal), token, OfOperations);
                return (task, task.Unwrap());
            },
            Task.FromException,
            isAsync,
            token);
    }

    internal Task<TResult> Enter<TResult>(Func<Task<TResult>> function, bool isAsync, CancellationToken token)
    {
        ArgumentNullException.ThrowIfNull(function);
        return Enter(
            refusal =>
            {
                var task = new Task<Task<TResult>>(() => Begin(function, refusal), token, OfOperations);
                return (task, task.Unwrap());
            },
            Task.FromException<TResult>,
            isAsync,
            token);
    }

    private TTask Enter<TTask>(
        Func<ManualRefusal, (Task Task, TTask Outcome)> create, Func<Exception, TTask> failed, bool isAsync, CancellationToken cancellationToken)
        where TTask : Task
    {
        if (RefusesCaller)
        {
            return isAsync ? failed(ShutDownError()) : throw ShutDownError();
        }

        var refusal = new ManualRefusal();
        if (cancellationToken.IsCancellationRequested)
        {
            return create(refusal).Outcome;
        }

        ManualWorkItem item = null!;
        Task task = null!;
        TTask outcome = null!;
        ManualTaskScheduler scheduler = ManualWorkView.Current?.Scheduler ?? _scheduler;
        item = new ManualWorkItem(_ => scheduler.Execute(task), null, context: null)
        {
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
                    return isAsync ? failed(QueueFull()) : throw QueueFull();
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
                CountOpen(outcome);
            }
        }
    }
}
