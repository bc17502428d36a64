namespace NativeThreading.Workloads.Skynet;

/// <summary>One growth of the tree. Every node is an item of its own, leaves and root included: it asks its parent which child it is, counts its
/// execution, and then either reports its ordinal or queues ten items more.</summary>
internal abstract class SkynetTree
{
    protected const int Children = 10;

    protected static readonly Action<Parent> RunChild = static parent =>
    {
        ExecutionCount.Add();
        long first = parent.NextChild();
        if (parent.LeavesPerChild == 1)
        {
            parent.Report(first);
        }
        else
        {
            parent.Tree.QueueChildren(new Parent(parent, parent.Tree, first, parent.LeavesPerChild / Children, Children));
        }
    };

    private readonly TaskCompletionSource<long> _sum = new();

    /// <summary>All nodes of a tree with a power of ten leaves.</summary>
    public static long Nodes(long leaves)
    {
        long nodes = 0;
        for (; leaves > 0; leaves /= Children)
        {
            nodes += leaves;
        }

        return nodes;
    }

    public static long Sum(long leaves) => leaves * (leaves - 1) / 2;

    /// <summary>Grows it, once, and returns the sum; null if that is not over in time.</summary>
    public long? Grow(long leaves, TimeSpan deadline)
    {
        QueueRoot(new Parent(above: null, this, first: 0, leaves, children: 1));
        return Await(deadline) && _sum.Task.Wait(deadline) ? _sum.Task.Result : null;
    }

    public void End(long sum) => _sum.SetResult(sum);

    /// <summary>Queues the only child of a parent that is not itself a node.</summary>
    protected abstract void QueueRoot(Parent parent);

    protected abstract void QueueChildren(Parent parent);

    protected virtual bool Await(TimeSpan deadline) => true;
}
