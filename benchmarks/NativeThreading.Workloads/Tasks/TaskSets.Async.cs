namespace NativeThreading.Workloads.Tasks;

/// <summary>Chains of async methods.</summary>
internal static partial class TaskSets<TPool>
    where TPool : struct, IPool
{
    /// <summary>Each method starts the next, yields, and awaits it.</summary>
    public static async Task<long> YieldChain(int depth, int calls)
    {
        var count = new StepCount<TPool>();
        for (int i = calls / depth; i > 0; i--)
        {
            await Chain(count, depth - 1);
        }

        return count.Value;

        static async Task Chain(StepCount<TPool> count, int depth)
        {
            if (depth == 0)
            {
                await Task.Yield();
                count.AddInterlocked();
                return;
            }

            Task next = Chain(count, depth - 1);
            await Task.Yield();
            count.AddInterlocked();
            await next;
        }
    }

    /// <summary>A chain of methods, the innermost of which awaits a semaphore that is then released.</summary>
    public static async Task<long> AsyncChainAwaited(int depth, int calls)
    {
        var count = new StepCount<TPool>();
        using var semaphore = new SemaphoreSlim(0);
        for (int i = calls / depth; i > 0; i--)
        {
            Task chain = Chain(count, depth - 1, semaphore.WaitAsync());
            semaphore.Release();
            await chain;
        }

        return count.Value;

        static async Task Chain(StepCount<TPool> count, int depth, Task task)
        {
            await (depth == 0 ? task : Chain(count, depth - 1, task));
            count.Add();
        }
    }

    /// <summary>The same, but only the innermost method awaits.</summary>
    public static async Task<long> AsyncChainReturn(int depth, int calls)
    {
        var count = new StepCount<TPool>();
        using var semaphore = new SemaphoreSlim(0);
        for (int i = calls / depth; i > 0; i--)
        {
            Task chain = Chain(count, depth - 1, semaphore.WaitAsync());
            semaphore.Release();
            await chain;
        }

        return count.Value;

        static Task Chain(StepCount<TPool> count, int depth, Task task)
        {
            count.Add();
            return depth == 0 ? Awaited(task) : Chain(count, depth - 1, task);
        }

        static async Task Awaited(Task task) => await task;
    }
}
