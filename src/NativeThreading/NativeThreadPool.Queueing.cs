using System.Runtime.CompilerServices;
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
    /// <example><code>pool.QueueUserWorkItem(static message =&gt; Send(message), message, preferLocal: false);</code></example>
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
    /// <example><code>pool.UnsafeQueueUserWorkItem(static message =&gt; Send(message), message, preferLocal: true); // of a worker: runs soon, on its caches</code></example>
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
    /// <example><code>string report = await pool.Run(() =&gt; Render(page), token);</code></example>
    public Task<TResult> Run<TResult>(Func<TResult> function, CancellationToken cancellationToken = default) =>
        Run(function, isAsync: false, options: null, cancellationToken);

    /// <summary>Runs an async function on this pool; its awaits resume on the pool. The function counts as work until it completes.</summary>
    /// <remarks>
    /// The function runs with a <see cref="SynchronizationContext"/> that posts to the pool, and with nothing else:
    /// <see cref="TaskScheduler.Current"/> is the default scheduler, so tasks and continuations that the function creates without naming a
    /// scheduler run on the built-in pool. If another function of this pool completes the awaited operation, the await resumes inline,
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
    /// <example><code>await pool.Run(async () =&gt; await ImportAsync(), token); // its awaits resume on the pool</code></example>
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
    /// <returns>A task with the result of the function. It fails with the exceptions of <see cref="RunAsync(Action, CancellationToken)"/>, and is
    /// cancelled if the token is cancelled before the function starts.</returns>
    public Task<TResult> RunAsync<TResult>(Func<TResult> function, CancellationToken cancellationToken = default) =>
        RefuseInTask(static (pool, function, token) => pool.Run(function, isAsync: true, options: null, token), this, function, Task.FromException<TResult>, cancellationToken);

    /// <summary>
    /// Runs an async function on this pool as soon as a permit is free, without blocking. Its awaits resume on the
    /// pool and need no permit. The function counts as work until it completes.
    /// </summary>
    /// <param name="function">The function to run.</param>
    /// <param name="cancellationToken">A token that cancels the operation until it starts. A cancelled operation releases its permit at once.</param>
    /// <exception cref="ArgumentNullException"><paramref name="function"/> is null.</exception>
    /// <returns>A task with the outcome of the task that the function returns. It fails with the exceptions of
    /// <see cref="RunAsync(Action, CancellationToken)"/>, and is cancelled if the token is cancelled before the function starts.</returns>
    public Task RunAsync(Func<Task> function, CancellationToken cancellationToken = default) =>
        RefuseInTask<NativeThreadPool, Func<Task>, Task>(
            static (pool, function, token) => pool.RunOperation<NoResult>(function, isAsync: true, options: null, token), this, function, Task.FromException, cancellationToken);

    /// <typeparam name="TResult">The type of the result.</typeparam>
    /// <summary>Runs an async function on this pool as soon as a permit is free, without blocking. Its awaits resume on the pool and need no permit.</summary>
    /// <inheritdoc cref="RunAsync(Func{Task}, CancellationToken)" path="/*[not(self::summary) and not(self::returns)]"/>
    /// <returns>A task with the result of the task that the function returns. It fails with the exceptions of
    /// <see cref="RunAsync(Action, CancellationToken)"/>, and is cancelled if the token is cancelled before the function starts.</returns>
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
}
