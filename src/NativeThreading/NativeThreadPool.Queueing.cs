using System.Runtime.CompilerServices;
using NativeThreading.Diagnostics;
using NativeThreading.Keyed;
using NativeThreading.Platform;
using NativeThreading.Queues;
using NativeThreading.Scheduling;
using NativeThreading.Tasks;

namespace NativeThreading;

// The calls that queue work: the calls of ThreadPool, with the same signatures and behaviour, and calls that
// run delegates as tasks and operations.
public sealed partial class NativeThreadPool
{
    /// <summary>The callback of items that are objects which execute themselves.</summary>
    internal static readonly Action<object?> ExecuteWorkItem = static item => Unsafe.As<IThreadPoolWorkItem>(item!).Execute();

    /// <summary>Whether an item's callback is the one that executes work item objects.</summary>
    internal static bool ExecutesWorkItem(Action<object?> callback) => ReferenceEquals(callback, ExecuteWorkItem);

    /// <summary>Queues a callback; the execution context flows to it.</summary>
    /// <param name="callBack">The callback to run. A worker calls it once, with <see langword="null"/>.</param>
    /// <returns>Always <see langword="true"/>; failures throw.</returns>
    /// <inheritdoc cref="QueueUserWorkItem(WaitCallback, object?)" path="/exception"/>
    public bool QueueUserWorkItem(WaitCallback callBack) => QueueUserWorkItem(callBack, null);

    /// <summary>Queues a callback in the global order; the execution context flows to it.</summary>
    /// <param name="callBack">The callback to run. A worker calls it once.</param>
    /// <param name="state">The argument of the callback.</param>
    /// <returns>Always <see langword="true"/>; failures throw.</returns>
    /// <exception cref="ArgumentNullException"><paramref name="callBack"/> is null.</exception>
    /// <exception cref="ObjectDisposedException">The pool is shutting down, and the caller is not one of its workers.</exception>
    /// <exception cref="OutOfMemoryException">The pool has no thread and could not start one; nothing was queued.</exception>
    /// <exception cref="QueueFullException"><see cref="QueueLimit"/> items wait, and <see cref="QueueFullMode"/> does not let the call wait or run the item; nothing was queued.</exception>
    public bool QueueUserWorkItem(WaitCallback callBack, object? state)
    {
        ArgumentNullException.ThrowIfNull(callBack);
        Enqueue(WorkItem.AsCallback(callBack), state, flow: true, preferLocal: false);
        return true;
    }

    /// <summary>Queues a callback; the execution context flows to it. Allocates nothing if <typeparamref name="TState"/> is a class.</summary>
    /// <param name="callBack">The callback to run. A worker calls it once.</param>
    /// <param name="state">The argument of the callback.</param>
    /// <param name="preferLocal">Whether a worker of this pool queues into its own deque, newest first. Otherwise the item is queued in the global order.</param>
    /// <typeparam name="TState">The type of the state.</typeparam>
    /// <returns>Always <see langword="true"/>; failures throw.</returns>
    /// <inheritdoc cref="QueueUserWorkItem(WaitCallback, object?)" path="/exception"/>
    public bool QueueUserWorkItem<TState>(Action<TState> callBack, TState state, bool preferLocal)
    {
        ArgumentNullException.ThrowIfNull(callBack);
        Enqueue(callBack, state, flow: true, preferLocal);
        return true;
    }

    /// <summary>Queues a callback in the global order, without the execution context.</summary>
    /// <param name="callBack">The callback to run. A worker calls it once.</param>
    /// <param name="state">The argument of the callback.</param>
    /// <returns>Always <see langword="true"/>; failures throw.</returns>
    /// <inheritdoc cref="QueueUserWorkItem(WaitCallback, object?)" path="/exception"/>
    public bool UnsafeQueueUserWorkItem(WaitCallback callBack, object? state)
    {
        ArgumentNullException.ThrowIfNull(callBack);
        Enqueue(WorkItem.AsCallback(callBack), state, flow: false, preferLocal: false);
        return true;
    }

    /// <summary>Queues a callback without the execution context. Allocates nothing if <typeparamref name="TState"/> is a class.</summary>
    /// <param name="callBack">The callback to run. A worker calls it once.</param>
    /// <param name="state">The argument of the callback.</param>
    /// <param name="preferLocal">Whether a worker of this pool queues into its own deque, newest first. Otherwise the item is queued in the global order.</param>
    /// <typeparam name="TState">The type of the state.</typeparam>
    /// <returns>Always <see langword="true"/>; failures throw.</returns>
    /// <inheritdoc cref="QueueUserWorkItem(WaitCallback, object?)" path="/exception"/>
    public bool UnsafeQueueUserWorkItem<TState>(Action<TState> callBack, TState state, bool preferLocal)
    {
        ArgumentNullException.ThrowIfNull(callBack);
        Enqueue(callBack, state, flow: false, preferLocal);
        return true;
    }

    /// <summary>Queues an object that executes itself, without the execution context. Allocates nothing.</summary>
    /// <param name="callBack">The object to execute. A worker executes it once. It must not be a <see cref="Task"/>.</param>
    /// <param name="preferLocal">Whether a worker of this pool queues into its own deque, newest first. Otherwise the item is queued in the global order.</param>
    /// <returns>Always <see langword="true"/>; failures throw.</returns>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="callBack"/> is a task.</exception>
    /// <inheritdoc cref="QueueUserWorkItem(WaitCallback, object?)" path="/exception"/>
    public bool UnsafeQueueUserWorkItem(IThreadPoolWorkItem callBack, bool preferLocal)
    {
        ArgumentNullException.ThrowIfNull(callBack);
        Enqueue(ExecuteWorkItem, NotTask(callBack), flow: false, preferLocal);
        return true;
    }

    /// <summary>Queues a callback if a permit is free; the execution context flows to it. Never blocks.</summary>
    /// <param name="callBack">The callback to run. A worker calls it once.</param>
    /// <param name="state">The argument of the callback.</param>
    /// <returns>
    /// <see langword="true"/> if the item was queued. <see langword="false"/> if it was not, because <see cref="QueueLimit"/> items wait or
    /// callers wait for a permit, with every <see cref="QueueFullMode"/>.
    /// </returns>
    /// <inheritdoc cref="QueueUserWorkItem(WaitCallback, object?)" path="/exception[not(@cref='T:NativeThreading.QueueFullException')]"/>
    public bool TryQueueUserWorkItem(WaitCallback callBack, object? state)
    {
        ArgumentNullException.ThrowIfNull(callBack);
        return TryEnqueue(WorkItem.AsCallback(callBack), state, preferLocal: false);
    }

    /// <inheritdoc cref="TryQueueUserWorkItem(WaitCallback, object?)"/>
    /// <param name="callBack">The callback to run. A worker calls it once.</param>
    /// <param name="state">The argument of the callback.</param>
    /// <param name="preferLocal">Whether a worker of this pool queues into its own deque, newest first. Otherwise the item is queued in the global order.</param>
    /// <typeparam name="TState">The type of the state; a value type costs an object per item.</typeparam>
    public bool TryQueueUserWorkItem<TState>(Action<TState> callBack, TState state, bool preferLocal)
    {
        ArgumentNullException.ThrowIfNull(callBack);
        return TryEnqueue(WorkItem.CallbackOf(callBack), WorkItem.StateOf(callBack, state), preferLocal);
    }

    /// <summary>
    /// Queues a callback in the global order as soon as a permit is free, without blocking; the execution context
    /// flows to it.
    /// </summary>
    /// <param name="callBack">The callback to run. A worker calls it once.</param>
    /// <param name="state">The argument of the callback.</param>
    /// <param name="cancellationToken">A token that ends the wait for a permit. An accepted item runs.</param>
    /// <returns>
    /// A task that completes when the item has been accepted: at once if a permit is free; with <see cref="QueueFullMode.Wait"/> in
    /// the order of the calls, also on the pool's own workers. The task fails with <see cref="QueueFullException"/> if
    /// the mode is <see cref="QueueFullMode.Reject"/>, and with <see cref="ObjectDisposedException"/> if the pool is
    /// shutting down or starts to shut down while the caller waits. With <see cref="QueueFullMode.RunOnCaller"/> the item has run.
    /// </returns>
    /// <exception cref="ArgumentNullException"><paramref name="callBack"/> is null.</exception>
    public ValueTask QueueAsync(WaitCallback callBack, object? state, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(callBack);
        return EnqueueAsync(WorkItem.AsCallback(callBack), state, null, cancellationToken);
    }

    /// <inheritdoc cref="QueueAsync(WaitCallback, object?, CancellationToken)"/>
    /// <typeparam name="TState">The type of the state; a value type costs an object per item.</typeparam>
    public ValueTask QueueAsync<TState>(Action<TState> callBack, TState state, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(callBack);
        return EnqueueAsync(WorkItem.CallbackOf(callBack), WorkItem.StateOf(callBack, state), null, cancellationToken);
    }

    /// <summary>Runs an action as a task on this pool.</summary>
    /// <param name="action">The action to run.</param>
    /// <param name="cancellationToken">A token that cancels the task at once if its function has not started, however many items wait before it.</param>
    /// <returns>A task that completes when the action has returned or thrown, or when the token cancels it before it starts.</returns>
    /// <exception cref="ArgumentNullException"><paramref name="action"/> is null.</exception>
    /// <exception cref="ObjectDisposedException">The pool is shutting down, and the caller is not one of its workers.</exception>
    /// <exception cref="OutOfMemoryException">The pool has no thread and could not start one; nothing was queued.</exception>
    /// <exception cref="QueueFullException"><see cref="QueueLimit"/> items wait, and <see cref="QueueFullMode"/> does not let the call wait or run the task.</exception>
    /// <remarks>
    /// If <see cref="QueueLimit"/> items wait, <see cref="QueueFullMode"/> decides how the call behaves. Continuations of
    /// started work need no permit. A task that the token cancels releases its permit at once.
    /// </remarks>
    public Task Run(Action action, CancellationToken cancellationToken = default) => Run(action, isAsync: false, options: null, cancellationToken);

    /// <summary>Runs a function as a task on this pool.</summary>
    /// <param name="function">The function to run.</param>
    /// <param name="cancellationToken">A token that cancels the task at once if its function has not started, however many items wait before it.</param>
    /// <typeparam name="TResult">The type of the result.</typeparam>
    /// <exception cref="ArgumentNullException"><paramref name="function"/> is null.</exception>
    /// <inheritdoc cref="Run(Action, CancellationToken)" path="/exception[not(@cref='T:System.ArgumentNullException')]"/>
    /// <returns>A task with the result of the function. It completes when the function has completed, or when the token cancels it before it starts.</returns>
    public Task<TResult> Run<TResult>(Func<TResult> function, CancellationToken cancellationToken = default) =>
        Run(function, isAsync: false, options: null, cancellationToken);

    /// <summary>Runs an async function on this pool; its awaits resume on the pool. The function counts as work until it completes.</summary>
    /// <remarks>
    /// The function runs with a <see cref="SynchronizationContext"/> that posts to the pool, and with nothing else:
    /// <see cref="TaskScheduler.Current"/> is the default scheduler, so tasks and continuations that the function creates without naming a
    /// scheduler run on the built-in pool. If the awaited operation is completed by another function of this pool, the await resumes inline,
    /// inside that call, as on the built-in pool. Otherwise the continuation is queued as an item. To run code with <see cref="Scheduler"/> as
    /// the current scheduler, start it with <see cref="Factory"/> and unwrap its task.
    /// </remarks>
    /// <param name="function">The function to run.</param>
    /// <param name="cancellationToken">A token that cancels the operation at once if its function has not started, however many items wait before it.</param>
    /// <returns>
    /// A task with the outcome of the task that <paramref name="function"/> returns. As with <see cref="Task.Run(Func{Task})"/>, it is cancelled
    /// if the function throws an <see cref="OperationCanceledException"/> with any token before it returns a task.
    /// </returns>
    /// <exception cref="ArgumentNullException"><paramref name="function"/> is null.</exception>
    /// <inheritdoc cref="Run(Action, CancellationToken)" path="/exception[not(@cref='T:System.ArgumentNullException')]"/>
    public Task Run(Func<Task> function, CancellationToken cancellationToken = default) =>
        RunOperation<NoResult>(function, isAsync: false, options: null, cancellationToken);

    /// <summary>Runs an async function on this pool; its awaits resume on the pool. The function counts as work until it completes.</summary>
    /// <inheritdoc cref="Run(Func{Task}, CancellationToken)" path="/remarks"/>
    /// <param name="function">The function to run.</param>
    /// <param name="cancellationToken">A token that cancels the operation at once if its function has not started, however many items wait before it.</param>
    /// <typeparam name="TResult">The type of the result.</typeparam>
    /// <returns>
    /// A task with the outcome of the task that <paramref name="function"/> returns. As with <see cref="Task.Run(Func{Task})"/>, it is cancelled
    /// if the function throws an <see cref="OperationCanceledException"/> with any token before it returns a task.
    /// </returns>
    /// <exception cref="ArgumentNullException"><paramref name="function"/> is null.</exception>
    /// <inheritdoc cref="Run(Action, CancellationToken)" path="/exception[not(@cref='T:System.ArgumentNullException')]"/>
    public Task<TResult> Run<TResult>(Func<Task<TResult>> function, CancellationToken cancellationToken = default) =>
        RunOperation<TResult>(function, isAsync: false, options: null, cancellationToken);

    /// <summary>
    /// Runs an action as a task on this pool as soon as a permit is free. Unlike <c>Run</c> it never blocks, and
    /// exceptions that <c>Run</c> throws are stored in the task.
    /// </summary>
    /// <param name="action">The action to run.</param>
    /// <param name="cancellationToken">
    /// A token that cancels the task until it starts, while it waits for a permit or in the queue. A cancelled task releases its permit at
    /// once.
    /// </param>
    /// <returns>
    /// A task with the outcome. It fails with <see cref="QueueFullException"/> if the queue is full and the mode is
    /// <see cref="QueueFullMode.Reject"/>, with <see cref="ObjectDisposedException"/> if the pool is shutting down or
    /// starts to shut down before a permit is free, and with <see cref="OutOfMemoryException"/> if the pool has no thread and
    /// could not start one.
    /// </returns>
    /// <exception cref="ArgumentNullException"><paramref name="action"/> is null.</exception>
    public Task RunAsync(Action action, CancellationToken cancellationToken = default) =>
        RefuseInTask(static (pool, action, token) => pool.Run(action, isAsync: true, options: null, token), this, action, Task.FromException, cancellationToken);

    /// <summary>Runs a function as a task on this pool as soon as a permit is free, without blocking.</summary>
    /// <param name="function">The function to run.</param>
    /// <param name="cancellationToken">A token that cancels the task until it starts. A cancelled task releases its permit at once.</param>
    /// <typeparam name="TResult">The type of the result.</typeparam>
    /// <exception cref="ArgumentNullException"><paramref name="function"/> is null.</exception>
    /// <inheritdoc cref="RunAsync(Action, CancellationToken)" path="/returns"/>
    /// <returns>A task with the result of the function. It completes when the function has completed, or when the token cancels it before it starts.</returns>
    public Task<TResult> RunAsync<TResult>(Func<TResult> function, CancellationToken cancellationToken = default) =>
        RefuseInTask(static (pool, function, token) => pool.Run(function, isAsync: true, options: null, token), this, function, Task.FromException<TResult>, cancellationToken);

    /// <summary>
    /// Runs an async function on this pool as soon as a permit is free, without blocking. Its awaits resume on the
    /// pool and need no permit. The function counts as work until it completes.
    /// </summary>
    /// <param name="function">The function to run.</param>
    /// <param name="cancellationToken">A token that cancels the operation until it starts. A cancelled operation releases its permit at once.</param>
    /// <exception cref="ArgumentNullException"><paramref name="function"/> is null.</exception>
    /// <inheritdoc cref="RunAsync(Action, CancellationToken)" path="/returns"/>
    /// <returns>A task that completes when the function has completed, or when the token cancels it before it starts.</returns>
    public Task RunAsync(Func<Task> function, CancellationToken cancellationToken = default) =>
        RefuseInTask<NativeThreadPool, Func<Task>, Task>(
            static (pool, function, token) => pool.RunOperation<NoResult>(function, isAsync: true, options: null, token), this, function, Task.FromException, cancellationToken);

    /// <typeparam name="TResult">The type of the result.</typeparam>
    /// <inheritdoc cref="RunAsync(Func{Task}, CancellationToken)"/>
    /// <returns>A task with the result of the function. It completes when the function has completed, or when the token cancels it before it starts.</returns>
    public Task<TResult> RunAsync<TResult>(Func<Task<TResult>> function, CancellationToken cancellationToken = default) =>
        RefuseInTask(
            static (pool, function, token) => pool.RunOperation<TResult>(function, isAsync: true, options: null, token), this, function, Task.FromException<TResult>, cancellationToken);

    /// <summary>Continues the async method on this pool: <c>await pool.SwitchTo();</c></summary>
    /// <returns>
    /// An object that must be awaited at once. The code after the await runs like an async function of <c>Run</c>: with a
    /// <see cref="SynchronizationContext"/> that posts to the pool, so later awaits resume here, too, and under the default scheduler. The await
    /// completes synchronously if the caller already runs in this way.
    /// </returns>
    public SwitchToAwaitable SwitchTo() => new(this);

    /// <summary>
    /// Queues a callback that continues previously accepted work, without the execution context. It is never rejected: it
    /// needs no permit of a queue with a limit, and a shutdown neither rejects nor drops it. Use it in schedulers, value task sources and
    /// other code that has promised a callback. Allocates nothing if <typeparamref name="TState"/> is a class.
    /// </summary>
    /// <param name="callBack">The callback to run. It is called once: by a worker, or on the built-in thread pool if this pool has stopped or cannot
    /// start a thread.</param>
    /// <param name="state">The argument of the callback.</param>
    /// <param name="preferLocal">Whether a worker of this pool queues into its own deque, newest first. Otherwise the item is queued in the global order.</param>
    /// <typeparam name="TState">The type of the state.</typeparam>
    /// <exception cref="ArgumentNullException"><paramref name="callBack"/> is null.</exception>
    /// <remarks>
    /// Do not use it for new work, which would bypass <see cref="QueueLimit"/> and the shutdown. The callback is a raw item: its awaits
    /// do not resume on this pool. Async methods use <see cref="SwitchTo"/> instead. Callbacks that run on the built-in thread pool are
    /// counted in <see cref="RanElsewhereCount"/>.
    /// </remarks>
    public void UnsafeQueueContinuation<TState>(Action<TState> callBack, TState state, bool preferLocal)
    {
        ArgumentNullException.ThrowIfNull(callBack);
        EnqueueAlways(WorkItem.CallbackOf(callBack), WorkItem.StateOf(callBack, state), ContinuationContext.Instance, preferLocal);
    }

    /// <summary>The object, unless it is a task, which only a scheduler can run.</summary>
    internal static IThreadPoolWorkItem NotTask(IThreadPoolWorkItem callBack)
    {
        ArgumentNullException.ThrowIfNull(callBack);
        return callBack is not Task
            ? callBack
            : throw new ArgumentOutOfRangeException(nameof(callBack), "A Task cannot be queued as a work item. Start it on the pool's Scheduler.");
    }

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
    internal Task Run(Action action, bool isAsync, ItemOptions? options, CancellationToken cancellationToken)
    {
        ArgumentNullException.ThrowIfNull(action);
        return Observation is not { IsOn: true } observation
            ? RunUnobserved(action, isAsync, options, cancellationToken)
            : RunObserved(observation, action, isAsync, options, cancellationToken);
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private Task RunUnobserved(Action action, bool isAsync, ItemOptions? options, CancellationToken cancellationToken)
    {
        if (Admission is not null)
        {
            return Admission.Run(action, isAsync, options, cancellationToken);
        }

        BeforeEntry();
        return StartTask(action, options?.Scheduler ?? Scheduler, cancellationToken);
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal Task<TResult> Run<TResult>(Func<TResult> function, bool isAsync, ItemOptions? options, CancellationToken cancellationToken)
    {
        ArgumentNullException.ThrowIfNull(function);
        return Observation is not { IsOn: true } observation
            ? RunUnobserved(function, isAsync, options, cancellationToken)
            : RunObserved(observation, function, isAsync, options, cancellationToken);
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private Task<TResult> RunUnobserved<TResult>(Func<TResult> function, bool isAsync, ItemOptions? options, CancellationToken cancellationToken)
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
    private static TTask Start<TTask>(TTask task, NativeTaskScheduler scheduler)
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
    internal Task<TResult> RunOperation<TResult>(Func<Task> function, bool isAsync, ItemOptions? options, CancellationToken cancellationToken)
    {
        ArgumentNullException.ThrowIfNull(function);
        return Observation is not { IsOn: true } observation
            ? RunUnobservedOperation<TResult>(function, isAsync, options, cancellationToken)
            : RunObservedOperation<TResult>(observation, function, isAsync, options, cancellationToken);
    }

    // Methods of their own, because each makes a closure when it begins.
    private Task RunObserved(WorkObservation observation, Action action, bool isAsync, ItemOptions? options, CancellationToken cancellationToken) =>
        ObservedCall.Run(observation, action, options, key: null, call => RunUnobserved(call.Call, isAsync, options, cancellationToken));

    private Task<TResult> RunObserved<TResult>(
        WorkObservation observation, Func<TResult> function, bool isAsync, ItemOptions? options, CancellationToken cancellationToken) =>
        ObservedCall.Run(observation, function, options, key: null, call => RunUnobserved(call.Call<TResult>, isAsync, options, cancellationToken));

    private Task<TResult> RunObservedOperation<TResult>(
        WorkObservation observation, Func<Task> function, bool isAsync, ItemOptions? options, CancellationToken cancellationToken) =>
        function.Target is KeyedTurn // its items are observed
            ? RunUnobservedOperation<TResult>(function, isAsync, options, cancellationToken)
            : ObservedCall.Run(
                observation, function, options, key: null, call => RunUnobservedOperation<TResult>(call.Call<Task>, isAsync, options, cancellationToken));

    private Task<TResult> RunUnobservedOperation<TResult>(Func<Task> function, bool isAsync, ItemOptions? options, CancellationToken cancellationToken)
    {
        if (Admission is not null)
        {
            return Admission.RunOperation<TResult>(function, isAsync, options, cancellationToken);
        }

        BeforeEntry();
        ExecutionContext? flowed = DefaultContext.Flowing();
        Operation<TResult> operation = Operation<TResult>.Of(this, Limited(function, flowed, options), cancellationToken);
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

    /// <summary>What an operation calls: the function, or what gets a place for it first.</summary>
    internal Func<Task> Limited(Func<Task> function, ExecutionContext? flowed, ItemOptions? options) =>
        OperationLimit is null || PoolSynchronizationContext.IsOf(this) ? function : new LimitedFunction(this, function, flowed, options).Invoke;
}
