using NativeThreading.Queues;

namespace NativeThreading.Scheduling;

/// <summary>
/// The context of an item that accepted work needs in order to go on. It runs as one without a context, and is never dropped:
/// where its pool or loop has stopped it runs on the runtime's pool.
/// </summary>
internal sealed class ContinuationContext : ItemContext
{
    public static readonly ContinuationContext Instance = new();

    private ContinuationContext()
    {
    }

    public override bool MayBeDropped => false;

    /// <summary>Not a call that has waited for a permit, which nothing may drop either.</summary>
    public override bool Continues(Action<object?>? callback, object? state, NativeTaskScheduler scheduler) =>
        state is not IItemSubject { BeginsWork: true };

    public override void Run(Worker worker, Action<object?> callback, object? state) => worker.RunIn(null, callback, state);

    public override void RunElsewhere(Action<object?> callback, object? state) => callback(state);
}
