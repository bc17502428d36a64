namespace NativeThreading.Workloads.Tasks;

/// <summary>The sets that complete synchronously: no step ever reaches a pool, so a difference is noise.</summary>
internal static class ControlSets
{
    public static Task<long> SyncChainAwaited(int depth, int calls)
    {
        return RunChains(depth, calls, Chain);

        static async Task Chain(StepCount count, int depth)
        {
            count.Value++;
            if (depth != 0)
            {
                await Chain(count, depth - 1);
            }
        }
    }

    public static Task<long> CachedTaskChainAwaited(int depth, int calls)
    {
        return RunChains(depth, calls, Chain);

        static async Task Chain(StepCount count, int depth)
        {
            count.Value++;
            await (depth == 0 ? Task.CompletedTask : Chain(count, depth - 1));
        }
    }

    public static Task<long> CachedTaskChainChecked(int depth, int calls)
    {
        return RunChains(depth, calls, Chain);

        static Task Chain(StepCount count, int depth)
        {
            count.Value++;
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

        static Task Chain(StepCount count, int depth)
        {
            count.Value++;
            return depth == 0 ? Task.CompletedTask : Chain(count, depth - 1);
        }
    }

    private static async Task<long> RunChains(int depth, int calls, Func<StepCount, int, Task> chain)
    {
        var count = new StepCount();
        for (int i = calls / depth; i > 0; i--)
        {
            await chain(count, depth - 1);
        }

        return count.Value;
    }
}
