using System.Runtime.CompilerServices;
using NativeThreading.Async;
using NativeThreading.Diagnostics;
using NativeThreading.Queues;
using NativeThreading.Threads;
using NativeThreading.Workers;

namespace NativeThreading;

/// <summary>
/// The calls that give the pool work: those of <see cref="ThreadPool"/>, with their signatures and their meaning, and those that
/// run delegates as tasks and operations.
/// </summary>
public sealed partial class NativeThreadPool
{
    private static readonly Action<object?> s_executeWorkItem = static item => Unsafe.As<IThreadPoolWorkItem>(item!).Execute();

    /// <summary>Whether an item's callback is the one that executes work item objects.</summary>
    internal static bool ExecutesWorkItem(Action<object?> callback) => ReferenceEquals(callback, s_executeWorkItem);

    /// <summary>Queues a callback; the execution context flows to it.</summary>
    /// <param name="callBack">Called once, by a worker, with <see langword="null"/>.</param>
    /// <returns><see langword="true"/>; a failure throws.</returns>
    /// <inheritdoc cref="QueueUserWorkItem(WaitCallback, object?)" path="/exception"/>
    public bool QueueUserWorkItem(WaitCallback callBack) => QueueUserWorkItem(callBack, null);

    /// <summary>Queues a callback in the global order; the execution context flows to it.</summary>
    /// <param name="callBack">Called once, by a worker.</param>
    /// <param name="state">Passed to it.</param>
    /// <returns><see langword="true"/>; a failure throws.</returns>
    /// <exception cref="ArgumentNullException"><paramref name="callBack"/> is null.</exception>
    /// <exception cref="ObjectDisposedException">The pool is shutting down, and the caller is not one of its workers.</exception>
    /// <exception cref="OutOfMemoryException">The pool has no thread and could not start one; nothing was queued.</exception>
    /// <exception cref="QueueFullException"><see cref="QueueLimit"/> items wait and <see cref="QueueFullMode"/> says so; nothing was queued.</exception>
    public bool QueueUserWorkItem(WaitCallback callBack, object? state)
    {
        ArgumentNullException.ThrowIfNull(callBack);
        Enqueue(WorkItem.AsCallback(callBack), state, flow: true, preferLocal: false);
        return true;
    }

    /// <summary>Queues a callback; the execution context flows to it. Allocates nothing if <typeparamref name="TState"/> is a class.</summary>
    /// <param name="callBack">Called once, by a worker.</param>
    /// <param name="state">Passed to it.</param>
    /// <param name="preferLocal">From a worker of this pool: into its own deque, newest first; else into the global order.</param>
    /// <typeparam name="TState">The type of the state.</typeparam>
    /// <returns><see langword="true"/>; a failure throws.</returns>
    /// <inheritdoc cref="QueueUserWorkItem(WaitCallback, object?)" path="/exception"/>
    public bool QueueUserWorkItem<TState>(Action<TState> callBack, TState state, bool preferLocal)
    {
        ArgumentNullException.ThrowIfNull(callBack);
        Enqueue(callBack, state, flow: true, preferLocal);
        return true;
    }

    /// <summary>As <see cref="QueueUserWorkItem(WaitCallback, object?)"/>, without the execution context.</summary>
    /// <param name="callBack">Called once, by a worker.</param>
    /// <param name="state">Passed to it.</param>
    /// <returns><see langword="true"/>; a failure throws.</returns>
    /// <inheritdoc cref="QueueUserWorkItem(WaitCallback, object?)" path="/exception"/>
    public bool UnsafeQueueUserWorkItem(WaitCallback callBack, object? state)
    {
        ArgumentNullException.ThrowIfNull(callBack);
        Enqueue(WorkItem.AsCallback(callBack), state, flow: false, preferLocal: false);
        return true;
    }

    /// <summary>As <see cref="QueueUserWorkItem{TState}(Action{TState}, TState, bool)"/>, without the execution context.</summary>
    /// <param name="callBack">Called once, by a worker.</param>
    /// <param name="state">Passed to it.</param>
    /// <param name="preferLocal">From a worker of this pool: into its own deque, newest first; else into the global order.</param>
    /// <typeparam name="TState">The type of the state.</typeparam>
    /// <returns><see langword="true"/>; a failure throws.</returns>
    /// <inheritdoc cref="QueueUserWorkItem(WaitCallback, object?)" path="/exception"/>
    public bool UnsafeQueueUserWorkItem<TState>(Action<TState> callBack, TState state, bool preferLocal)
    {
        ArgumentNullException.ThrowIfNull(callBack);
        Enqueue(callBack, state, flow: false, preferLocal);
        return true;
    }

    /// <summary>Queues an object that executes itself, without the execution context. Allocates nothing.</summary>
    /// <param name="callBack">Executed once, by a worker. Must not be a <see cref="Task"/>.</param>
    /// <param name="preferLocal">From a worker of this pool: into its own deque, newest first; else into the global order.</param>
    /// <returns><see langword="true"/>; a failure throws.</returns>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="callBack"/> is a task.</exception>
    /// <inheritdoc cref="QueueUserWorkItem(WaitCallback, object?)" path="/exception"/>
    public bool UnsafeQueueUserWorkItem(IThreadPoolWorkItem callBack, bool preferLocal)
    {
        ArgumentNullException.ThrowIfNull(callBack);
        if (callBack is Task)
        {
            throw new ArgumentOutOfRangeException(nameof(callBack), "A Task cannot be queued as a work item. Start it on the pool's Scheduler.");
        }

        Enqueue(s_executeWorkItem, callBack, flow: false, preferLocal);
        return true;
    }

    /// <summary>Queues a callback if there is a permit for it; the execution context flows to it. Never blocks.</summary>
    /// <param name="callBack">Called once, by a worker.</param>
    /// <param name="state">Passed to it.</param>
    /// <returns>
    /// <see langword="false"/>, whatever the <see cref="QueueFullMode"/>: <see cref="QueueLimit"/> items wait, or callers
    /// wait for a permit; nothing was queued.
    /// </returns>
    /// <inheritdoc cref="QueueUserWorkItem(WaitCallback, object?)" path="/exception[not(@cref='T:NativeThreading.QueueFullException')]"/>
    public bool TryQueueUserWorkItem(WaitCallback callBack, object? state)
    {
        ArgumentNullException.ThrowIfNull(callBack);
        return TryEnqueue(WorkItem.AsCallback(callBack), state, preferLocal: false);
    }

    /// <inheritdoc cref="TryQueueUserWorkItem(WaitCallback, object?)"/>
    /// <param name="callBack">Called once, by a worker.</param>
    /// <param name="state">Passed to it.</param>
    /// <param name="preferLocal">From a worker of this pool: into its own deque, newest first; else into the global order.</param>
    /// <typeparam name="TState">The type of the state; a value type costs an object per item.</typeparam>
    public bool TryQueueUserWorkItem<TState>(Action<TState> callBack, TState state, bool preferLocal)
    {
        ArgumentNullException.ThrowIfNull(callBack);
        return TryEnqueue(WorkItem.CallbackOf(callBack), WorkItem.StateOf(callBack, state), preferLocal);
    }

    /// <summary>
    /// Queues a callback in the global order as soon as there is a permit for it, without blocking; the execution context
    /// flows to it.
    /// </summary>
    /// <param name="callBack">Called once, by a worker.</param>
    /// <param name="state">Passed to it.</param>
    /// <param name="cancellationToken">Ends the wait for a permit; what has been accepted runs.</param>
    /// <returns>
    /// Completes when the item has been accepted: at once if there is a permit; with <see cref="QueueFullMode.Wait"/> in
    /// the order in which callers came, also on the pool's own workers. Fails with <see cref="QueueFullException"/> where
    /// the mode is <see cref="QueueFullMode.Reject"/>, and with <see cref="ObjectDisposedException"/> where the pool is
    /// shutting down, or begins to while the caller waits. With <see cref="QueueFullMode.RunOnCaller"/> the item has run.
    /// </returns>
    /// <exception cref="ArgumentNullException"><paramref name="callBack"/> is null.</exception>
    public ValueTask QueueAsync(WaitCallback callBack, object? state, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(callBack);
        return EnqueueAsync(WorkItem.AsCallback(callBack), state, cancellationToken);
    }

    /// <inheritdoc cref="QueueAsync(WaitCallback, object?, CancellationToken)"/>
    /// <typeparam name="TState">The type of the state; a value type costs an object per item.</typeparam>
    public ValueTask QueueAsync<TState>(Action<TState> callBack, TState state, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(callBack);
        return EnqueueAsync(WorkItem.CallbackOf(callBack), WorkItem.StateOf(callBack, state), cancellationToken);
    }

    /// <summary>Runs an action as a task on this pool.</summary>
    /// <param name="action">What to run.</param>
    /// <param name="cancellationToken">Cancels the task if it has not begun.</param>
    /// <exception cref="ArgumentNullException"><paramref name="action"/> is null.</exception>
    /// <exception cref="ObjectDisposedException">The pool is shutting down, and the caller is not one of its workers.</exception>
    /// <exception cref="OutOfMemoryException">The pool has no thread and could not start one; nothing was queued.</exception>
    /// <exception cref="QueueFullException"><see cref="QueueLimit"/> items wait and <see cref="QueueFullMode"/> says so.</exception>
    /// <remarks>
    /// Where <see cref="QueueLimit"/> items wait, what happens is for <see cref="QueueFullMode"/> to say; continuations of
    /// what has begun need no permit. A task that the token cancels releases its permit at once.
    /// </remarks>
    public Task Run(Action action, CancellationToken cancellationToken = default) => Run(action, isAsync: false, cancellationToken);

    /// <summary>Runs a function as a task on this pool.</summary>
    /// <param name="function">What to run.</param>
    /// <param name="cancellationToken">Cancels the task if it has not begun.</param>
    /// <typeparam name="TResult">The type of the result.</typeparam>
    /// <exception cref="ArgumentNullException"><paramref name="function"/> is null.</exception>
    /// <inheritdoc cref="Run(Action, CancellationToken)" path="/exception[not(@cref='T:System.ArgumentNullException')]"/>
    public Task<TResult> Run<TResult>(Func<TResult> function, CancellationToken cancellationToken = default) =>
        Run(function, isAsync: false, cancellationToken);

    /// <summary>Runs an async function on this pool; its awaits resume on the pool. Counts as work until it completes.</summary>
    /// <remarks>
    /// The function runs with a <see cref="SynchronizationContext"/> that posts to the pool, and with nothing else:
    /// <see cref="TaskScheduler.Current"/> is the default scheduler, so tasks and continuations that the function creates without naming a
    /// scheduler run on the built-in pool. If the awaited operation is completed by another function of this pool, the await resumes inline,
    /// inside that call, as on the built-in pool. Otherwise the continuation is queued as an item. To run code with <see cref="Scheduler"/> as
    /// the current scheduler, start it with <see cref="Factory"/> and unwrap its task.
    /// </remarks>
    /// <param name="function">What to run.</param>
    /// <param name="cancellationToken">Cancels the operation if it has not begun.</param>
    /// <returns>
    /// Completes as the task does that <paramref name="function"/> returned. As with <see cref="Task.Run(Func{Task})"/>, an
    /// <see cref="OperationCanceledException"/> that the function throws before, whatever its token, cancels it.
    /// </returns>
    /// <exception cref="ArgumentNullException"><paramref name="function"/> is null.</exception>
    /// <inheritdoc cref="Run(Action, CancellationToken)" path="/exception[not(@cref='T:System.ArgumentNullException')]"/>
    public Task Run(Func<Task> function, CancellationToken cancellationToken = default) =>
        RunOperation<NoResult>(function, isAsync: false, cancellationToken);

    /// <summary>Runs an async function on this pool; its awaits resume on the pool. Counts as work until it completes.</summary>
    /// <inheritdoc cref="Run(Func{Task}, CancellationToken)" path="/remarks"/>
    /// <param name="function">What to run.</param>
    /// <param name="cancellationToken">Cancels the operation if it has not begun.</param>
    /// <typeparam name="TResult">The type of the result.</typeparam>
    /// <returns>
    /// Completes as the task does that <paramref name="function"/> returned. As with <see cref="Task.Run(Func{Task})"/>, an
    /// <see cref="OperationCanceledException"/> that the function throws before, whatever its token, cancels it.
    /// </returns>
    /// <exception cref="ArgumentNullException"><paramref name="function"/> is null.</exception>
    /// <inheritdoc cref="Run(Action, CancellationToken)" path="/exception[not(@cref='T:System.ArgumentNullException')]"/>
    public Task<TResult> Run<TResult>(Func<Task<TResult>> function, CancellationToken cancellationToken = default) =>
        RunOperation<TResult>(function, isAsync: false, cancellationToken);

    /// <summary>
    /// Runs an action as a task on this pool as soon as there is a permit for it. As <c>Run</c>, but it never blocks, and
    /// what <c>Run</c> throws is the task's failure.
    /// </summary>
    /// <param name="action">What to run.</param>
    /// <param name="cancellationToken">
    /// Cancels the task until it begins, while it waits for a permit and while it waits in the queue: it releases its permit at
    /// once.
    /// </param>
    /// <returns>
    /// The outcome. Fails with <see cref="QueueFullException"/> where the queue is full and the mode is
    /// <see cref="QueueFullMode.Reject"/>, with <see cref="ObjectDisposedException"/> where the pool is shutting down or
    /// begins to before there is a permit, and with <see cref="OutOfMemoryException"/> where the pool has no thread and
    /// could not start one.
    /// </returns>
    /// <exception cref="ArgumentNullException"><paramref name="action"/> is null.</exception>
    public Task RunAsync(Action action, CancellationToken cancellationToken = default) =>
        RefuseInTask(static (pool, action, token) => pool.Run(action, isAsync: true, token), action, Task.FromException, cancellationToken);

    /// <summary>Runs a function as a task on this pool as soon as there is a permit for it, without blocking.</summary>
    /// <param name="function">What to run.</param>
    /// <param name="cancellationToken">Cancels the task until it begins; it releases its permit at once.</param>
    /// <typeparam name="TResult">The type of the result.</typeparam>
    /// <exception cref="ArgumentNullException"><paramref name="function"/> is null.</exception>
    /// <inheritdoc cref="RunAsync(Action, CancellationToken)" path="/returns"/>
    public Task<TResult> RunAsync<TResult>(Func<TResult> function, CancellationToken cancellationToken = default) =>
        RefuseInTask(static (pool, function, token) => pool.Run(function, isAsync: true, token), function, Task.FromException<TResult>, cancellationToken);

    /// <summary>
    /// Runs an async function on this pool as soon as there is a permit for it, without blocking; its awaits resume on the
    /// pool and need no permit. Counts as work until it completes.
    /// </summary>
    /// <param name="function">What to run.</param>
    /// <param name="cancellationToken">Cancels the operation until it begins; it releases its permit at once.</param>
    /// <exception cref="ArgumentNullException"><paramref name="function"/> is null.</exception>
    /// <inheritdoc cref="RunAsync(Action, CancellationToken)" path="/returns"/>
    public Task RunAsync(Func<Task> function, CancellationToken cancellationToken = default) =>
        RefuseInTask<Func<Task>, Task>(
            static (pool, function, token) => pool.RunOperation<NoResult>(function, isAsync: true, token), function, Task.FromException, cancellationToken);

    /// <typeparam name="TResult">The type of the result.</typeparam>
    /// <inheritdoc cref="RunAsync(Func{Task}, CancellationToken)"/>
    public Task<TResult> RunAsync<TResult>(Func<Task<TResult>> function, CancellationToken cancellationToken = default) =>
        RefuseInTask(
            static (pool, function, token) => pool.RunOperation<TResult>(function, isAsync: true, token), function, Task.FromException<TResult>, cancellationToken);

    /// <summary>Continues the async method on this pool: <c>await pool.SwitchTo();</c></summary>
    /// <returns>
    /// To be awaited at once. What follows runs as an async function of <c>Run</c> does, with a <see cref="SynchronizationContext"/>
    /// that posts to the pool, so that later awaits stay here too, and under the default scheduler. Completes synchronously where
    /// the caller runs like that already.
    /// </returns>
    public SwitchToAwaitable SwitchTo() => new(this);

    /// <summary>
    /// Queues a callback that goes on with work that was accepted before, without the execution context. It is never refused: it
    /// needs no permit of a queue with a limit, and a shutdown neither refuses nor drops it. For schedulers, value task sources and
    /// other code that has promised to call back. Allocates nothing if <typeparamref name="TState"/> is a class.
    /// </summary>
    /// <param name="callBack">Called once: by a worker, or on the runtime's pool where this pool has stopped or can get no thread.</param>
    /// <param name="state">Passed to it.</param>
    /// <param name="preferLocal">From a worker of this pool: into its own deque, newest first; else into the global order.</param>
    /// <typeparam name="TState">The type of the state.</typeparam>
    /// <exception cref="ArgumentNullException"><paramref name="callBack"/> is null.</exception>
    /// <remarks>
    /// Not for new work, which would pass by <see cref="QueueLimit"/> and by the shutdown. The callback is a raw item: its own awaits
    /// do not come back here. An async method goes on with <see cref="SwitchTo"/> instead. What runs on the runtime's pool is
    /// counted by <see cref="RanElsewhereCount"/>.
    /// </remarks>
    public void UnsafeQueueContinuation<TState>(Action<TState> callBack, TState state, bool preferLocal)
    {
        ArgumentNullException.ThrowIfNull(callBack);
        EnqueueAlways(WorkItem.CallbackOf(callBack), WorkItem.StateOf(callBack, state), ContinuationContext.Instance, preferLocal);
    }

    /// <summary>A refusal is the task's failure.</summary>
    private TTask RefuseInTask<TDelegate, TTask>(
        Func<NativeThreadPool, TDelegate, CancellationToken, TTask> run,
        TDelegate function,
        Func<Exception, TTask> failed,
        CancellationToken cancellationToken)
    {
        try
        {
            return run(this, function, cancellationToken);
        }
        catch (Exception exception) when (IsRefusal(exception))
        {
            return failed(exception);
        }
    }

    // A scheduler cannot tell an entry call from a continuation, so what concerns only entry calls happens here.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private Task Run(Action action, bool isAsync, CancellationToken cancellationToken)
    {
        ArgumentNullException.ThrowIfNull(action);
        if (Admission is not null)
        {
            return Admission.Run(action, isAsync, cancellationToken);
        }

        BeforeEntry();
        return _timesItems ? RunWatched(action, cancellationToken) : Factory.StartNew(action, cancellationToken, TaskCreationOptions.DenyChildAttach, Scheduler);
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private Task<TResult> Run<TResult>(Func<TResult> function, bool isAsync, CancellationToken cancellationToken)
    {
        ArgumentNullException.ThrowIfNull(function);
        if (Admission is not null)
        {
            return Admission.Run(function, isAsync, cancellationToken);
        }

        BeforeEntry();
        return _timesItems ? RunWatched(function, cancellationToken) : Factory.StartNew(function, cancellationToken, TaskCreationOptions.DenyChildAttach, Scheduler);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private Task RunWatched(Action action, CancellationToken cancellationToken)
    {
        using TaskSubject.Scope subject = TaskSubject.Is(action);
        return Factory.StartNew(action, cancellationToken, TaskCreationOptions.DenyChildAttach, Scheduler);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private Task<TResult> RunWatched<TResult>(Func<TResult> function, CancellationToken cancellationToken)
    {
        using TaskSubject.Scope subject = TaskSubject.Is(function);
        return Factory.StartNew(function, cancellationToken, TaskCreationOptions.DenyChildAttach, Scheduler);
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private Task<TResult> RunOperation<TResult>(Func<Task> function, bool isAsync, CancellationToken cancellationToken)
    {
        ArgumentNullException.ThrowIfNull(function);
        if (Admission is not null)
        {
            return Admission.RunOperation<TResult>(function, isAsync, cancellationToken);
        }

        BeforeEntry();
        Operation<TResult> operation = Operation<TResult>.Of(this, function, cancellationToken);
        if (!operation.Task.IsCompleted) // cancelled by a token that was cancelled before
        {
            EnqueueResumption(Operation<TResult>.Begin, operation, DefaultContext.Flowing(), preferLocal: true);
        }

        return operation.Task;
    }
}
