namespace NativeThreading.Workloads.Skynet;

/// <summary>One group for the whole tree; ten children are queued with one call.</summary>
internal sealed class WorkGroupTree(NativeThreadPool pool) : SkynetTree
{
    private readonly WorkGroup _group = new(pool);

    protected override void QueueRoot(Parent parent) => _group.Queue(RunChild, parent);

    protected override void QueueChildren(Parent parent) =>
        _group.QueueRange(RunChild, [parent, parent, parent, parent, parent, parent, parent, parent, parent, parent]);

    protected override bool Await(TimeSpan deadline) => _group.Wait(deadline);
}
