namespace NativeThreading.Workloads.Skynet;

/// <summary>A raw item per node, in the queue of the worker that runs its parent.</summary>
internal sealed class ItemTree<TPool> : SkynetTree
    where TPool : struct, IPool
{
    protected override void QueueRoot(Parent parent) => default(TPool).UnsafeQueue(RunChild, parent, preferLocal: false);

    protected override void QueueChildren(Parent parent)
    {
        for (int i = 0; i < Children; i++)
        {
            default(TPool).UnsafeQueue(RunChild, parent, preferLocal: true);
        }
    }
}
