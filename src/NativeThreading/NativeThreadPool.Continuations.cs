using NativeThreading.Async;

namespace NativeThreading;

/// <summary>Going on with accepted work.</summary>
public sealed partial class NativeThreadPool
{
    private readonly Resumption _resumption;

    /// <summary>
    /// Queues a callback that goes on with an operation, under <see cref="Scheduler"/> and with a context through which it
    /// resumes here the next time. Never refused; where the pool has stopped, it runs on the runtime's pool.
    /// </summary>
    /// <param name="callback">Called once.</param>
    /// <param name="state">Passed to it.</param>
    /// <param name="context">What flows to it; <see langword="null"/> for nothing, which allocates nothing.</param>
    /// <param name="preferLocal">From a worker of this pool: into its own deque; else into the global order.</param>
    internal void EnqueueResumption(Action<object?> callback, object? state, ExecutionContext? context, bool preferLocal) =>
        EnqueueResumption(callback, state, ResumptionIn(context), preferLocal);

    /// <inheritdoc cref="EnqueueResumption(Action{object?}, object?, ExecutionContext?, bool)"/>
    internal void EnqueueResumption(Action<object?> callback, object? state, Resumption context, bool preferLocal) =>
        EnqueueAlways(callback, state, context, preferLocal);

    /// <summary>The context of an item that goes on with an operation.</summary>
    /// <param name="context">What flows to it, or <see langword="null"/>.</param>
    internal Resumption ResumptionIn(ExecutionContext? context) => context is null ? _resumption : new Resumption(this, context);

    /// <summary>
    /// Queues a callback that continues work already accepted, in the global order, without the execution context. Never
    /// refused, whatever the limit of the queue; where the pool has stopped, or no thread can be had, it runs on the runtime's
    /// pool. Allocates nothing.
    /// </summary>
    /// <param name="callback">Called once; its argument says nothing.</param>
    internal void EnqueueContinuation(Action<object?> callback) =>
        EnqueueAlways(callback, state: null, ContinuationContext.Instance, preferLocal: false);
}
