using NativeThreading.Platform;
using NativeThreading.Queues;

namespace NativeThreading.Tasks;

/// <summary>
/// The context through which operations of <c>Run</c> resume. An await that resumes through a scheduler costs a task for every resumption. One that
/// resumes through a context costs a queued item, or nothing: if the completing code has the context of the awaiting code, the framework resumes
/// inline, as on the built-in pool.
/// </summary>
/// <remarks>
/// So all operations on a pool's workers have one object, <see cref="NativeThreadPool.OperationContext"/>. Code of the pool on any other thread has
/// another object. Otherwise code that awaits on the pool would continue on that thread.
/// </remarks>
/// <param name="pool">The pool.</param>
/// <param name="options">The options of the operations that resume through the context, or <see langword="null"/>.</param>
internal sealed class PoolSynchronizationContext(NativeThreadPool pool, WorkView? options = null) : SynchronizationContext
{
    private readonly NativeThreadPool _pool = pool;

    /// <summary>Whether the caller is an operation of the pool, on any thread.</summary>
    public static bool IsOf(NativeThreadPool pool) => (Current as PoolSynchronizationContext)?._pool == pool;

    /// <summary>
    /// Queues as the built-in pool does: the rest of code that awaited a task locally, everything else in the global order. Both an awaited task (an
    /// action) and a yield (its state machine, which is a task) carry their execution context themselves.
    /// </summary>
    public override void Post(SendOrPostCallback d, object? state)
    {
        ArgumentNullException.ThrowIfNull(d);
        bool isAwaitedTask = state is Action;
        ExecutionContext? flowing = isAwaitedTask || state is Task ? null : DefaultContext.Flowing();
        _pool.EnqueueResumption(WorkItem.AsCallback(d), state, flowing, preferLocal: isAwaitedTask, options);
    }

    /// <summary>Runs the callback inline on a thread of the pool; otherwise on a worker, while the caller waits.</summary>
    public override void Send(SendOrPostCallback d, object? state)
    {
        ArgumentNullException.ThrowIfNull(d);
        if (NativeThreadPool.Current == _pool)
        {
            d(state);
            return;
        }

        Completion.Wait(Task.Factory.StartNew(
            new Action<object?>(d), state, CancellationToken.None, TaskCreationOptions.DenyChildAttach, options?.Scheduler ?? _pool.Scheduler));
    }

    public override SynchronizationContext CreateCopy() => this;
}
