using NativeThreading.Queues;
using NativeThreading.Tasks;

namespace NativeThreading.Scheduling;

/// <summary>
/// The context of an item that accepted work needs in order to continue. It runs as one without a context, and is never dropped:
/// where its pool or loop has stopped it runs on the built-in pool.
/// </summary>
/// <param name="options">The options of the item: a task of a scheduler with options has such a context, too.</param>
internal sealed class ContinuationContext(WorkView? options) : ItemContext
{
    public static readonly ContinuationContext Instance = new(null);

    public override WorkView? Options => options;

    public override bool MayBeDropped => false;

    /// <summary>Not a call that has waited for a permit, which nothing may drop either.</summary>
    public override bool Continues(Action<object?>? callback, object? state, NativeTaskScheduler scheduler) =>
        scheduler.Executes(callback) ? QueuedTask.Continues(state as Task) : state is not IItemSubject { BeginsWork: true };

    public override void Run(Worker worker, Action<object?> callback, object? state) => worker.RunIn(null, callback, state);

    public override void RunElsewhere(Action<object?> callback, object? state) => callback(state);
}

/// <summary>The context of a raw item with options.</summary>
/// <param name="options">The options.</param>
/// <param name="flowed">What flows to the item, or <see langword="null"/>.</param>
internal sealed class ViewedContext(WorkView options, ExecutionContext? flowed) : ItemContext
{
    public override WorkView Options => options;

    public override void Run(Worker worker, Action<object?> callback, object? state) => worker.RunIn(flowed, callback, state);

    public override void RunElsewhere(Action<object?> callback, object? state) => RunElsewhere(flowed, callback, state);
}

/// <summary>
/// Distinguishes items that continue started work from items that start work. Only items that came from outside are asked: whatever an item
/// of the pool has queued continues that item. It is asked where a pool is at its limit and all its threads are blocked, so it may be slow, and
/// no item carries the answer.
/// </summary>
internal static class ContinuingItem
{
    /// <summary>
    /// Whether an item continues work: a post to the pool's context, <see cref="NativeThreadPool.UnsafeQueueContinuation"/>, and a task that is a
    /// continuation. An operation and <see cref="NativeThreadPool.SwitchTo"/> start work on the pool, although the latter is never rejected.
    /// </summary>
    public static readonly ItemPredicate<NativeTaskScheduler> Is =
        static (in WorkItem item, NativeTaskScheduler scheduler) => Continues(item.Context, item.Callback, item.State, scheduler);

    /// <inheritdoc cref="Is"/>
    public static bool Continues(object? context, Action<object?>? callback, object? state, NativeTaskScheduler scheduler) =>
        context is ItemContext own
            ? own.Continues(callback, state, scheduler)
            : scheduler.Executes(callback) && QueuedTask.Continues(state as Task);
}
