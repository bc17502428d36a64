namespace NativeThreading.Testing;

/// <summary>A <see cref="ManualThreadPool"/> with options for all that is queued through it. Items that are created inside <see cref="In{TResult}"/> belong to
/// the view.</summary>
internal sealed class ManualWorkView : IWorkScheduler
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

    public ManualTaskScheduler Scheduler { get; }

    public ManualSynchronizationContext OperationContext { get; }

    string IWorkScheduler.Name => _pool.Name;

    TaskScheduler IWorkScheduler.Scheduler => Scheduler;

    public IWorkScheduler WithOptions(WorkOptions options) => _pool.WithOptions(options);

    public bool QueueUserWorkItem(WaitCallback callBack) => QueueUserWorkItem(callBack, null);

    public bool QueueUserWorkItem(WaitCallback callBack, object? state) => In(() => _pool.QueueUserWorkItem(InTime(callBack), state));

    public bool QueueUserWorkItem<TState>(Action<TState> callBack, TState state, bool preferLocal) => QueueUserWorkItem(Untyped(callBack), state);

    public bool UnsafeQueueUserWorkItem(WaitCallback callBack, object? state) => In(() => _pool.UnsafeQueueUserWorkItem(InTime(callBack), state));

    public bool UnsafeQueueUserWorkItem<TState>(Action<TState> callBack, TState state, bool preferLocal) => UnsafeQueueUserWorkItem(Untyped(callBack), state);

    public bool UnsafeQueueUserWorkItem(IThreadPoolWorkItem callBack, bool preferLocal) => callBack is null or Task
        ? _pool.UnsafeQueueUserWorkItem(callBack!, preferLocal) // which refuses it
        : UnsafeQueueUserWorkItem(_ => callBack.Execute(), null);

    public SwitchToAwaitable SwitchTo() => new(OperationContext);

    public void UnsafeQueueContinuation<TState>(Action<TState> callBack, TState state, bool preferLocal) => In(() =>
    {
        _pool.UnsafeQueueContinuation(callBack, state, preferLocal);
        return true;
    });

    public bool TryQueueUserWorkItem(WaitCallback callBack, object? state) => In(() => _pool.TryQueueUserWorkItem(InTime(callBack), state));

    public bool TryQueueUserWorkItem<TState>(Action<TState> callBack, TState state, bool preferLocal) => TryQueueUserWorkItem(Untyped(callBack), state);

    public ValueTask QueueAsync(WaitCallback callBack, object? state, CancellationToken cancellationToken = default) =>
        In(() => _pool.QueueAsync(InTime(callBack), state, cancellationToken));

    public ValueTask QueueAsync<TState>(Action<TState> callBack, TState state, CancellationToken cancellationToken = default) =>
        QueueAsync(Untyped(callBack), state, cancellationToken);

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

    // When it is due, an item of the pool queues the function with the options.
    public Task RunAfter(TimeSpan delay, Action action, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(action);
        return _pool.RunAfter(delay, () => RunAsync(action, cancellationToken), cancellationToken);
    }

    public Task<TResult> RunAfter<TResult>(TimeSpan delay, Func<TResult> function, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(function);
        return _pool.RunAfter(delay, () => RunAsync(function, cancellationToken), cancellationToken);
    }

    public Task RunAfter(TimeSpan delay, Func<Task> function, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(function);
        return _pool.RunAfter(delay, () => RunAsync(function, cancellationToken), cancellationToken);
    }

    public Task<TResult> RunAfter<TResult>(TimeSpan delay, Func<Task<TResult>> function, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(function);
        return _pool.RunAfter(delay, () => RunAsync(function, cancellationToken), cancellationToken);
    }

    public Task RunEvery(TimeSpan period, Action action, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(action);
        return _pool.RunEvery(period, () => RunAsync(action, CancellationToken.None), cancellationToken);
    }

    public Task RunEvery(TimeSpan period, Func<Task> function, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(function);
        return _pool.RunEvery(period, () => RunAsync(function, CancellationToken.None), cancellationToken);
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

    private Task Enter(Action action, bool isAsync, CancellationToken token)
    {
        ArgumentNullException.ThrowIfNull(action);
        var start = new StartTime(this, token);
        return In(() => _pool.Enter(() =>
        {
            start.Begin();
            action();
        }, isAsync, start.Token));
    }

    private Task<TResult> Enter<TResult>(Func<TResult> function, bool isAsync, CancellationToken token)
    {
        ArgumentNullException.ThrowIfNull(function);
        var start = new StartTime(this, token);
        return In(() => _pool.Enter(() =>
        {
            start.Begin();
            return function();
        }, isAsync, start.Token));
    }

    private Task Enter(Func<Task> function, bool isAsync, CancellationToken token)
    {
        ArgumentNullException.ThrowIfNull(function);
        var start = new StartTime(this, token);
        return In(() => _pool.Enter(() =>
        {
            start.Begin();
            return function();
        }, isAsync, start.Token));
    }

    private Task<TResult> Enter<TResult>(Func<Task<TResult>> function, bool isAsync, CancellationToken token)
    {
        ArgumentNullException.ThrowIfNull(function);
        var start = new StartTime(this, token);
        return In(() => _pool.Enter(() =>
        {
            start.Begin();
            return function();
        }, isAsync, start.Token));
    }

    private static WaitCallback Untyped<TState>(Action<TState> callBack)
    {
        ArgumentNullException.ThrowIfNull(callBack);
        return state => callBack((TState)state!);
    }

    /// <summary>A raw item that is late, or was cancelled, does nothing.</summary>
    private WaitCallback InTime(WaitCallback callBack)
    {
        ArgumentNullException.ThrowIfNull(callBack);
        var start = new StartTime(this, CancellationToken.None);
        return state =>
        {
            if (start.TryBegin())
            {
                callBack(state);
            }
        };
    }

    /// <summary>Ends a call that has not started when its time is up or one of its tokens is cancelled.</summary>
    private sealed class StartTime
    {
        private readonly ManualWorkView _view;
        private readonly CancellationTokenSource? _source;
        private readonly ITimer? _timer;
        private readonly long _queued;

        public StartTime(ManualWorkView view, CancellationToken token)
        {
            _view = view;
            Token = token.CanBeCanceled ? token : view._options.CancellationToken;
            if (!Expires && (!token.CanBeCanceled || !view._options.CancellationToken.CanBeCanceled))
            {
                return;
            }

            _source = CancellationTokenSource.CreateLinkedTokenSource(token, view._options.CancellationToken);
            Token = _source.Token;
            if (Expires)
            {
                _queued = view._pool.Clock.GetTimestamp();
                _timer = view._pool.Clock.CreateTimer(
                    static source => ((CancellationTokenSource)source!).Cancel(), _source, view._options.StartWithin!.Value, Timeout.InfiniteTimeSpan);
            }
        }

        public CancellationToken Token { get; }

        private bool Expires => _view._options.StartWithin is { } limit && limit != Timeout.InfiniteTimeSpan;

        /// <summary>The first act of a raw item. The callback of the timer may wait behind it in the queue.</summary>
        public bool TryBegin()
        {
            _timer?.Dispose();
            if (Expires && _view._pool.Clock.GetElapsedTime(_queued) >= _view._options.StartWithin)
            {
                _source!.Cancel();
            }

            return !Token.IsCancellationRequested;
        }

        /// <summary>The first act of a task.</summary>
        public void Begin()
        {
            if (!TryBegin())
            {
                throw new OperationCanceledException(Token);
            }
        }
    }
}
