using NativeThreading.Workloads.Skynet;

namespace NativeThreading.Workloads.Scale;

/// <summary>Skynet's tree with a raw item per node, on a pool of its own.</summary>
internal sealed class ScaleTree(OwnPool pool) : SkynetTree
{
    protected override void QueueRoot(Parent parent) => pool.UnsafeQueue(RunChild, parent, preferLocal: false);

    protected override void QueueChildren(Parent parent)
    {
        for (int i = 0; i < Children; i++)
        {
            pool.UnsafeQueue(RunChild, parent, preferLocal: true);
        }
    }
}
