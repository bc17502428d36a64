using System.Runtime.InteropServices;
using NativeThreading.Platform;
using NativeThreading.Queues;
using NativeThreading.Tasks;

namespace NativeThreading.Scheduling;

/// <summary>
/// The context of an item that continues an operation: it runs with a <see cref="PoolSynchronizationContext"/>. A pool has one
/// without an execution context, which most items share; one with an execution context is of a single item.
/// </summary>
/// <param name="pool">The pool.</param>
/// <param name="context">What flows to the callback, or <see langword="null"/>: it brings its own.</param>
internal class Resumption(NativeThreadPool pool, ExecutionContext? context) : ItemContext
{
    public override bool MayBeDropped => false;

    /// <summary>An operation starts as a resumption, and so does a method that switches to the pool.</summary>
    public override bool Continues(Action<object?>? callback, object? state, NativeTaskScheduler scheduler) =>
        state is not IItemSubject { BeginsWork: true } && !SwitchToAwaitable.Awaiter.Continues(callback);

    protected virtual PoolSynchronizationContext ContextOfWorkers => pool.OperationContext;

    public override void Run(Worker worker, Action<object?> callback, object? state)
    {
        worker.GroupTally.Leave();
        worker.Install(this, ContextOfWorkers);
        Call(callback, state);
    }

    /// <summary>Other threads have an object of their own: nothing of the pool continues in place there.</summary>
    public override void RunElsewhere(Action<object?> callback, object? state)
    {
        SynchronizationContext.SetSynchronizationContext(
            Worker.Current?.Pool == pool ? ContextOfWorkers : new PoolSynchronizationContext(pool, Options));
        Call(callback, state);
    }

    private void Call(Action<object?> callback, object? state)
    {
        if (context is not null)
        {
            ThreadCulture.Restore(context);
        }

        callback(state);
    }
}

/// <summary>The context of an item that continues an operation with options.</summary>
internal sealed class ViewedResumption(NativeThreadPool pool, ExecutionContext? context, WorkView options) : Resumption(pool, context)
{
    public override WorkView Options => options;

    protected override PoolSynchronizationContext ContextOfWorkers => options.OperationContext;
}

/// <summary>
/// What a worker's thread is ready for: nothing, for items without a context; or resumptions, whose
/// <see cref="SynchronizationContext"/> stays from one to the next that follows.
/// </summary>
/// <remarks>It changes with the kind of the items, so it lies on cache lines of its own: others read the worker's as they queue.</remarks>
[StructLayout(LayoutKind.Explicit, Size = 2 * PaddedIndex.Line)]
internal struct InstalledContext
{
    /// <summary>The context of items that find the thread ready.</summary>
    [FieldOffset(PaddedIndex.Line - 16)]
    public Resumption? Item;

    /// <summary>What the thread has set for them.</summary>
    [FieldOffset(PaddedIndex.Line - 8)]
    public SynchronizationContext? Value;
}
