namespace NativeThreading.Workloads.Skynet;

/// <summary>A task per node, as one would write it with Task.Run: it runs its ten children and awaits them.</summary>
internal static class TaskTree<TPool>
    where TPool : struct, IPool
{
    private const int Children = 10;

    public static long? Grow(long leaves, TimeSpan deadline)
    {
        Task<long> root = default(TPool).Run(() => Node(0, leaves));
        return root.Wait(deadline) ? root.Result : null;
    }

    private static async Task<long> Node(long first, long leaves)
    {
        ExecutionCount.Add();
        if (leaves == 1)
        {
            return first;
        }

        long below = leaves / Children;
        var children = new Task<long>[Children];
        for (int i = 0; i < Children; i++)
        {
            long firstBelow = first + (i * below);
            children[i] = default(TPool).Run(() => Node(firstBelow, below));
        }

        long sum = 0;
        foreach (Task<long> child in children)
        {
            sum += await child.ConfigureAwait(true);
        }

        return sum;
    }
}
