using NativeThreading.Diagnostics;

namespace NativeThreading.Testing;

/// <summary>A <see cref="ManualThreadPool"/> with options for all that is queued through it. Items that are created inside <see cref="In{TResult}"/> belong to
/// the view.</summary>
internal sealed class ManualWorkView : IWorkScheduler, IObservedOptions
{
    [ThreadStatic]
    private static ManualWorkView? t_current;

    private readonly ManualThreadPool _pool;
    private readonly WorkOptions _options;

    public ManualWorkView(ManualThreadPool pool, ManualQueue queue, WorkOptions options)
    {
        (_pool, _options) = (pool, options);
        Scheduler = new ManualTaskScheduler(pool, queue, this);
        OperationContext = new ManualSynchronizationContext(pool, this);
    }

    /// <summary>The view through which the calling thread queues right now.</summary>
    public static ManualWorkView? Current => t_current;

    public WorkPriority Priority => _options.Priority;

    /// <inheritdoc/>
    public object? Label => _options.Name is { } name ? new NamedItem(name, Method: null) : null;

    public ManualTaskScheduler Scheduler { get; }

    public ManualSynchronizationContext OperationContext { get; }

    string IWorkScheduler.Name => _pool.Name;

    TaskScheduler IWorkScheduler.Scheduler => Scheduler;

    public IWorkScheduler WithOptions(WorkOptions options) => _pool.WithOptions(options);

    public bool QueueUserWorkItem(WaitCallback callBack) => QueueUserWorkItem(callBack, null);

    public bool QueueUserWorkItem(WaitCallback callBack, object? state) => In(() => _pool.QueueUserWorkItem(callBack, state));

    public bool QueueUserWorkItem<TState>(Action<TState> callBack, TState state, bool preferLocal) =>
        In(() => _pool.QueueUserWorkItem(callBack, state, preferLocal));

    public bool UnsafeQueueUserWorkItem(WaitCallback callBack, object? state) => In(() => _pool.UnsafeQueueUserWorkItem(callBack, state));

    public bool UnsafeQueueUserWorkItem<TState>(Action<TState> callBack, TState state, bool preferLocal) =>
        In(() => _pool.UnsafeQueueUserWorkItem(callBack, state, preferLocal));

    public bool UnsafeQueueUserWorkItem(IThreadPoolWorkItem callBack, bool preferLocal) => In(() => _pool.UnsafeQueueUserWorkItem(callBack, preferLocal));

    public SwitchToAwaitable SwitchTo() => new(OperationContext);

    public void UnsafeQueueContinuation<TState>(Action<TState> callBack, TState state, bool preferLocal) => In(() =>
    {
        _pool.UnsafeQueueContinuation(callBack, state, preferLocal);
        return true;
    });

    public bool TryQueueUserWorkItem(WaitCallback callBack, object? state) => In(() => _pool.TryQueueUserWorkItem(callBack, state));

    public bool TryQueueUserWorkItem<TState>(Action<TState> callBack, TState state, bool preferLocal) =>
        In(() => _pool.TryQueueUserWorkItem(callBack, state, preferLocal));

    public ValueTask QueueAsync(WaitCallback callBack, object? state, CancellationToken cancellationToken = default) =>
        In(() => _pool.QueueAsync(callBack, state, cancellationToken));

    public ValueTask QueueAsync<TState>(Action<TState> callBack, TState state, CancellationToken cancellationToken = default) =>
        In(() => _pool.QueueAsync(callBack, state, cancellationToken));

    public Task Run(Action action, CancellationToken cancellationToken = default) => Enter(action, isAsync: false, cancellationToken);

    public Task<TResult> Run<TResult>(Func<TResult> function, CancellationToken cancellationToken = default) => Enter(function, isAsync: false, cancellationToken);

    public Task Run(Func<Task> function, CancellationToken cancellationToken = default) => Enter(function, isAsync: false, cancellationToken);

    public Task<TResult> Run<TResult>(Func<Task<TResult>> function, CancellationToken cancellationToken = default) =>
        Enter(function, isAsync: false, cancellationToken);

    public Task RunAsync(Action action, CancellationToken cancellationToken = default) => Enter(action, isAsync: true, cancellationToken);

    public Task<TResult> RunAsync<TResult>(Func<TResult> function, CancellationToken cancellationToken = default) => Enter(function, isAsync: true, cancellationToken);

    public Task RunAsync(Func<Task> function, CancellationToken cancellationToken = default) => Enter(function, isAsync: true, cancellationToken);

    public Task<TResult> RunAsync<TResult>(Func<Task<TResult>> function, CancellationToken cancellationToken = default) =>
        Enter(function, isAsync: true, cancellationToken);

    public TimeProvider TimeProvider => _pool.TimeProvider;

    public Task RunAfter(TimeSpan delay, Action action, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(action);
        return _pool.RunAfterAsync(delay, RunAsync, action, cancellationToken);
    }

    public Task<TResult> RunAfter<TResult>(TimeSpan delay, Func<TResult> function, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(function);
        return _pool.RunAfterAsync<Func<TResult>, TResult>(delay, RunAsync, function, cancellationToken);
    }

    public Task RunAfter(TimeSpan delay, Func<Task> function, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(function);
        return _pool.RunAfterAsync(delay, RunAsync, function, cancellationToken);
    }

    public Task<TResult> RunAfter<TResult>(TimeSpan delay, Func<Task<TResult>> function, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(function);
        return _pool.RunAfterAsync<Func<Task<TResult>>, TResult>(delay, RunAsync, function, cancellationToken);
    }

    public Task RunEvery(TimeSpan period, Action action, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(action);
        return _pool.RunEvery(this, period, action, cancellationToken);
    }

    public Task RunEvery(TimeSpan period, Func<Task> function, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(function);
        return _pool.RunEvery(this, period, function, cancellationToken);
    }

    /// <summary>Queues as a part of this view.</summary>
    public TResult In<TResult>(Func<TResult> queue)
    {
        ManualWorkView? outer = t_current;
        t_current = this;
        try
        {
            return queue();
        }
        finally
        {
            t_current = outer;
        }
    }

    /// <summary>What runs meanwhile, on a caller of a full queue, queues as a part of none.</summary>
    public static void Outside(Action run)
    {
        ManualWorkView? outer = t_current;
        t_current = null;
        try
        {
            run();
        }
        finally
        {
            t_current = outer;
        }
    }

    /// <summary>What may end a raw item before it starts, or <see langword="null"/>.</summary>
    public ManualStartTime? StartTimeOfRaw() => _options.CancellationToken.CanBeCanceled || ManualStartTime.Expires(_options)
        ? new ManualStartTime(_pool.Clock, _options, function: null, CancellationToken.None)
        : null;

    private Task Enter(Action action, bool isAsync, CancellationToken token)
    {
        ManualStartTime start = StartTimeOf(action, token);
        return In(() => _pool.Enter(start.Call, isAsync, start.Token));
    }

    private Task<TResult> Enter<TResult>(Func<TResult> function, bool isAsync, CancellationToken token)
    {
        ManualStartTime start = StartTimeOf(function, token);
        return In(() => _pool.Enter((Func<TResult>)start.Call<TResult>, isAsync, start.Token));
    }

    private Task Enter(Func<Task> function, bool isAsync, CancellationToken token)
    {
        ManualStartTime start = StartTimeOf(function, token);
        return In(() => _pool.Enter((Func<Task>)start.Call<Task>, isAsync, start.Token));
    }

    private Task<TResult> Enter<TResult>(Func<Task<TResult>> function, bool isAsync, CancellationToken token)
    {
        ManualStartTime start = StartTimeOf(function, token);
        return In(() => _pool.Enter((Func<Task<TResult>>)start.Call<Task<TResult>>, isAsync, start.Token));
    }

    private ManualStartTime StartTimeOf(Delegate function, CancellationToken token)
    {
        ArgumentNullException.ThrowIfNull(function);
        return new ManualStartTime(_pool.Clock, _options, function, token);
    }
}
