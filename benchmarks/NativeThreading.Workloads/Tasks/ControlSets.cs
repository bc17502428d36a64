namespace NativeThreading.Workloads.Tasks;

/// <summary>The sets that complete synchronously: no step leaves the thread it began on, so a difference is noise.</summary>
internal static class ControlSets<TPool>
    where TPool : struct, IPool
{
    public static Task<long> SyncChainAwaited(int depth, int calls)
    {
        return RunChains(depth, calls, Chain);

        static async Task Chain(StepCount<TPool> count, int depth)
        {
            count.Add();
            if (depth != 0)
            {
                await Chain(count, depth - 1);
            }
        }
    }

    public static Task<long> CachedTaskChainAwaited(int depth, int calls)
    {
        return RunChains(depth, calls, Chain);

        static async Task Chain(StepCount<TPool> count, int depth)
        {
            count.Add();
            await (depth == 0 ? Task.CompletedTask : Chain(count, depth - 1));
        }
    }

    public static Task<long> CachedTaskChainChecked(int depth, int calls)
    {
        return RunChains(depth, calls, Chain);

        static Task Chain(StepCount<TPool> count, int depth)
        {
            count.Add();
            if (depth == 0)
            {
                return Task.CompletedTask;
            }

            Task next = Chain(count, depth - 1);
            return next.Status == TaskStatus.RanToCompletion ? next : Awaited(next);
        }

        static async Task Awaited(Task task) => await task;
    }

    public static Task<long> CachedTaskChainReturn(int depth, int calls)
    {
        return RunChains(depth, calls, Chain);

        static Task Chain(StepCount<TPool> count, int depth)
        {
            count.Add();
            return depth == 0 ? Task.CompletedTask : Chain(count, depth - 1);
        }
    }

    private static async Task<long> RunChains(int depth, int calls, Func<StepCount<TPool>, int, Task> chain)
    {
        var count = new StepCount<TPool>();
        for (int i = calls / depth; i > 0; i--)
        {
            await chain(count, depth - 1);
        }

        return count.Value;
    }
}
