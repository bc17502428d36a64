using NativeThreading.Diagnostics;
using NativeThreading.Platform;
using NativeThreading.Queues;
using NativeThreading.Scheduling;
using NativeThreading.Tasks;

namespace NativeThreading;

/// <summary>A pool with options for all work that is queued through it. <see cref="NativeThreadPool.WithOptions"/> returns it. The contexts of its
/// items refer to it, so that their continuations have the same name and priority.</summary>
internal sealed class WorkView : IWorkScheduler, IObservedOptions
{
    private readonly NativeThreadPool _pool;
    private readonly WorkOptions _options;

    public WorkView(NativeThreadPool pool, WorkOptions options, WorkGroup? group = null)
    {
        (_pool, _options, Group) = (pool, options, group);
        Label = options.Name is { } name ? new NamedItem(name, Method: null) : null;
        OperationContext = new PoolSynchronizationContext(pool, this);
        Scheduler = new NativeTaskScheduler(pool, this);
        Resumption = new ViewedResumption(pool, context: null, this);
    }

    /// <inheritdoc/>
    public WorkPriority Priority => _options.Priority;

    /// <inheritdoc/>
    public object? Label { get; }

    /// <summary>The group whose items have these options, or <see langword="null"/>.</summary>
    public WorkGroup? Group { get; }

    /// <summary>The context of operations on the pool's workers.</summary>
    public PoolSynchronizationContext OperationContext { get; }

    public NativeTaskScheduler Scheduler { get; }

    /// <summary>The context of items that continue an operation, and carry their execution context themselves.</summary>
    public Resumption Resumption { get; }

    /// <summary>Whether these are its options.</summary>
    public bool Has(WorkOptions options) => _options == options;

    string IWorkScheduler.Name => _pool.Name;

    TaskScheduler IWorkScheduler.Scheduler => Scheduler;

    /// <summary>Whether items may end before they start.</summary>
    private bool MayEndEarly => _options.Expires || _options.CancellationToken.CanBeCanceled;

    public IWorkScheduler WithOptions(WorkOptions options) => _pool.WithOptions(options);

    public bool QueueUserWorkItem(WaitCallback callBack) => QueueUserWorkItem(callBack, null);

    public bool QueueUserWorkItem(WaitCallback callBack, object? state) => Enqueue(WorkItem.AsCallback(NotNull(callBack)), state, flow: true);

    public bool QueueUserWorkItem<TState>(Action<TState> callBack, TState state, bool preferLocal) =>
        Enqueue(WorkItem.CallbackOf(NotNull(callBack)), WorkItem.StateOf(callBack, state), flow: true, preferLocal);

    public bool UnsafeQueueUserWorkItem(WaitCallback callBack, object? state) => Enqueue(WorkItem.AsCallback(NotNull(callBack)), state, flow: false);

    public bool UnsafeQueueUserWorkItem<TState>(Action<TState> callBack, TState state, bool preferLocal) =>
        Enqueue(WorkItem.CallbackOf(NotNull(callBack)), WorkItem.StateOf(callBack, state), flow: false, preferLocal);

    public bool UnsafeQueueUserWorkItem(IThreadPoolWorkItem callBack, bool preferLocal) =>
        Enqueue(NativeThreadPool.ExecuteWorkItem, NativeThreadPool.NotTask(callBack), flow: false, preferLocal);

    public bool TryQueueUserWorkItem(WaitCallback callBack, object? state) => TryEnqueue(WorkItem.AsCallback(NotNull(callBack)), state, preferLocal: false);

    public bool TryQueueUserWorkItem<TState>(Action<TState> callBack, TState state, bool preferLocal) =>
        TryEnqueue(WorkItem.CallbackOf(NotNull(callBack)), WorkItem.StateOf(callBack, state), preferLocal);

    public ValueTask QueueAsync(WaitCallback callBack, object? state, CancellationToken cancellationToken = default) =>
        EnqueueAsync(WorkItem.AsCallback(NotNull(callBack)), state, cancellationToken);

    public ValueTask QueueAsync<TState>(Action<TState> callBack, TState state, CancellationToken cancellationToken = default) =>
        EnqueueAsync(WorkItem.CallbackOf(NotNull(callBack)), WorkItem.StateOf(callBack, state), cancellationToken);

    public SwitchToAwaitable SwitchTo() => new(OperationContext);

    public void UnsafeQueueContinuation<TState>(Action<TState> callBack, TState state, bool preferLocal) =>
        _pool.EnqueueAlways(WorkItem.CallbackOf(NotNull(callBack)), WorkItem.StateOf(callBack, state), new ContinuationContext(this), preferLocal);

    public Task Run(Action action, CancellationToken cancellationToken = default) => Run(action, isAsync: false, cancellationToken);

    public Task<TResult> Run<TResult>(Func<TResult> function, CancellationToken cancellationToken = default) => Run(function, isAsync: false, cancellationToken);

    public Task Run(Func<Task> function, CancellationToken cancellationToken = default) => RunOperation<NoResult>(function, isAsync: false, cancellationToken);

    public Task<TResult> Run<TResult>(Func<Task<TResult>> function, CancellationToken cancellationToken = default) =>
        RunOperation<TResult>(function, isAsync: false, cancellationToken);

    public Task RunAsync(Action action, CancellationToken cancellationToken = default) => NativeThreadPool.RefuseInTask(
        static (view, action, token) => view.Run(action, isAsync: true, token), this, action, Task.FromException, cancellationToken);

    public Task<TResult> RunAsync<TResult>(Func<TResult> function, CancellationToken cancellationToken = default) => NativeThreadPool.RefuseInTask(
        static (view, function, token) => view.Run(function, isAsync: true, token), this, function, Task.FromException<TResult>, cancellationToken);

    public Task RunAsync(Func<Task> function, CancellationToken cancellationToken = default) => NativeThreadPool.RefuseInTask<WorkView, Func<Task>, Task>(
        static (view, function, token) => view.RunOperation<NoResult>(function, isAsync: true, token), this, function, Task.FromException, cancellationToken);

    public Task<TResult> RunAsync<TResult>(Func<Task<TResult>> function, CancellationToken cancellationToken = default) => NativeThreadPool.RefuseInTask(
        static (view, function, token) => view.RunOperation<TResult>(function, isAsync: true, token), this, function, Task.FromException<TResult>, cancellationToken);

    public TimeProvider TimeProvider => _pool.TimeProvider;

    // When it is due, an item of the pool queues the function with the options.
    public Task RunAfter(TimeSpan delay, Action action, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(action);
        return _pool.CallAfter<NoResult>(delay, () => RunAsync(action, cancellationToken), cancellationToken);
    }

    public Task<TResult> RunAfter<TResult>(TimeSpan delay, Func<TResult> function, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(function);
        return _pool.CallAfter<TResult>(delay, () => RunAsync(function, cancellationToken), cancellationToken);
    }

    public Task RunAfter(TimeSpan delay, Func<Task> function, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(function);
        return _pool.CallAfter<NoResult>(delay, () => RunAsync(function, cancellationToken), cancellationToken);
    }

    public Task<TResult> RunAfter<TResult>(TimeSpan delay, Func<Task<TResult>> function, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(function);
        return _pool.CallAfter<TResult>(delay, () => RunAsync(function, cancellationToken), cancellationToken);
    }

    public Task RunEvery(TimeSpan period, Action action, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(action);
        return _pool.CallEvery(period, () => RunAsync(action, CancellationToken.None), runsAtOnce: _pool.Admission is null, cancellationToken);
    }

    public Task RunEvery(TimeSpan period, Func<Task> function, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(function);
        return _pool.CallEvery(period, () => RunAsync(function, CancellationToken.None), runsAtOnce: _pool.Admission is null, cancellationToken);
    }

    private static TDelegate NotNull<TDelegate>(TDelegate callBack)
    {
        ArgumentNullException.ThrowIfNull(callBack);
        return callBack;
    }

    internal Task Run(Action action, bool isAsync, CancellationToken cancellationToken) =>
        StartOnce(action, cancellationToken, out CancellationToken token) is { } start
            ? start.DisposeIfRefused(() => _pool.Run((Action)start.Call, isAsync, this, token))
            : _pool.Run(action, isAsync, this, token);

    private Task<TResult> Run<TResult>(Func<TResult> function, bool isAsync, CancellationToken cancellationToken) =>
        StartOnce(function, cancellationToken, out CancellationToken token) is { } start
            ? start.DisposeIfRefused(() => _pool.Run((Func<TResult>)start.Call<TResult>, isAsync, this, token))
            : _pool.Run(function, isAsync, this, token);

    private Task<TResult> RunOperation<TResult>(Func<Task> function, bool isAsync, CancellationToken cancellationToken) =>
        StartOnce(function, cancellationToken, out CancellationToken token) is { } start
            ? start.DisposeIfRefused(() => _pool.RunOperation<TResult>(start.Call<Task>, isAsync, this, token))
            : _pool.RunOperation<TResult>(function, isAsync, this, token);

    /// <summary>The object that watches the time limit and the tokens of a call. <see langword="null"/> if there is at most one token, which is then
    /// the task's own.</summary>
    private StartLimit? StartOnce(Delegate function, CancellationToken cancellationToken, out CancellationToken token)
    {
        ArgumentNullException.ThrowIfNull(function);
        bool hasBoth = _options.CancellationToken.CanBeCanceled && cancellationToken.CanBeCanceled;
        if (!_options.Expires && !hasBoth)
        {
            token = cancellationToken.CanBeCanceled ? cancellationToken : _options.CancellationToken;
            return null;
        }

        var start = new StartLimit(_pool, function, _options, cancellationToken);
        token = start.Token;
        return start;
    }

    /// <summary>A raw item that may end before it starts is a task that no caller sees.</summary>
    private bool Enqueue(Action<object?> callback, object? state, bool flow, bool preferLocal = false)
    {
        if (MayEndEarly)
        {
            using AsyncFlowControl suppressed = flow || ExecutionContext.IsFlowSuppressed() ? default : ExecutionContext.SuppressFlow();
            Run(new RawCall(_pool, callback, state).Call, isAsync: false, CancellationToken.None);
        }
        else
        {
            _pool.EnqueueViewed(callback, state, ContextOf(flow), preferLocal);
        }

        return true;
    }

    private bool TryEnqueue(Action<object?> callback, object? state, bool preferLocal)
    {
        if (_pool.Admission is not { } admission)
        {
            return Enqueue(callback, state, flow: true, preferLocal);
        }

        if (!MayEndEarly)
        {
            return admission.TryEnqueue(callback, state, ContextOf(flow: true), preferLocal);
        }

        // Between the check and the call another thread may take the permit. Then the item waits for one without a thread, or is rejected.
        return admission.Permits.HeldCount < admission.Permits.Limit && !RunAsync(new RawCall(_pool, callback, state).Call).IsFaulted;
    }

    /// <summary>The task of an item that may end early completes when the item has run.</summary>
    private ValueTask EnqueueAsync(Action<object?> callback, object? state, CancellationToken cancellationToken) => MayEndEarly
        ? new ValueTask(RunAsync(new RawCall(_pool, callback, state).Call, cancellationToken))
        : _pool.EnqueueAsync(callback, state, ContextOf(flow: true), cancellationToken);

    private ViewedContext ContextOf(bool flow) => new(this, flow ? DefaultContext.Flowing() : null);
}
