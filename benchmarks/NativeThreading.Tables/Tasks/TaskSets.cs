using NativeThreading.Tables.Pools;

namespace NativeThreading.Tables.Tasks;

/// <summary>
/// The sets of benaadams/ThreadPoolTaskTesting that are made of tasks, with that program's definitions: each makes
/// <c>calls / depth</c> chains or fans of <c>depth</c>, one after the other, and returns how many steps were executed.
/// </summary>
/// <remarks>The steps of one call follow each other, except in the fans; so fans count with interlocked additions.</remarks>
internal static class TaskSets<TPool>
    where TPool : struct, ITaskPool
{
    /// <summary>Each task runs the next and returns its task.</summary>
    public static async Task<long> SubTaskChainReturn(int depth, int calls)
    {
        var count = new StepCount();
        for (int i = calls / depth; i > 0; i--)
        {
            await Return(count, depth - 1);
        }

        return count.Value;

        static Task Return(StepCount count, int depth) => depth == 0
            ? TPool.Run(() => count.AddAndReturn(Task.CompletedTask))
            : TPool.Run(() => count.AddAndReturn(Return(count, depth - 1)));
    }

    /// <summary>Each task runs the next and awaits it.</summary>
    public static async Task<long> SubTaskChainAwaited(int depth, int calls)
    {
        var count = new StepCount();
        for (int i = calls / depth; i > 0; i--)
        {
            await Awaited(count, depth - 1);
        }

        return count.Value;

        static async Task Awaited(StepCount count, int depth)
        {
            count.Value++;
            if (depth == 0)
            {
                await TPool.Run(static () => Task.CompletedTask);
                return;
            }

            await TPool.Run(() => Awaited(count, depth - 1));
        }
    }

    /// <summary>Tasks that yield once, awaited together.</summary>
    public static async Task<long> SubTaskFanOutAwaited(int depth, int calls)
    {
        var count = new StepCount();
        Func<Task> yield = count.AddAndYield;
        for (int i = calls / depth; i > 0; i--)
        {
            var tasks = new Task[depth];
            for (int task = 0; task < depth; task++)
            {
                tasks[task] = TPool.Run(yield);
            }

            await Task.WhenAll(tasks);
        }

        return count.Value;
    }

    /// <summary>Continuations that do not run inline, one after the other.</summary>
    public static async Task<long> ContinuationChain(int depth, int calls)
    {
        var count = new StepCount();
        Action<Task> step = _ => count.Value++;
        for (int i = calls / depth; i > 0; i--)
        {
            Task task = TPool.Run(Yield);
            for (int step1 = 0; step1 < depth; step1++)
            {
                task = task.ContinueWith(
                    step, CancellationToken.None, TaskContinuationOptions.RunContinuationsAsynchronously, TaskScheduler.Current);
            }

            await task;
        }

        return count.Value;
    }

    /// <summary>Continuations of one task.</summary>
    public static async Task<long> ContinuationFanOut(int depth, int calls)
    {
        var count = new StepCount();
        Action<Task> step = _ => count.AddInterlocked();
        for (int i = calls / depth; i > 0; i--)
        {
            var tasks = new Task[depth];
            Task first = TPool.Run(Yield);
            for (int task = 0; task < depth; task++)
            {
                tasks[task] = first.ContinueWith(
                    step, CancellationToken.None, TaskContinuationOptions.RunContinuationsAsynchronously, TaskScheduler.Current);
            }

            await Task.WhenAll(tasks);
        }

        return count.Value;
    }

    /// <summary>Each method starts the next, yields, and awaits it.</summary>
    public static async Task<long> YieldChain(int depth, int calls)
    {
        var count = new StepCount();
        for (int i = calls / depth; i > 0; i--)
        {
            await Chain(count, depth - 1);
        }

        return count.Value;

        static async Task Chain(StepCount count, int depth)
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
        var count = new StepCount();
        using var semaphore = new SemaphoreSlim(0);
        for (int i = calls / depth; i > 0; i--)
        {
            Task chain = Chain(count, depth - 1, semaphore.WaitAsync());
            semaphore.Release();
            await chain;
        }

        return count.Value;

        static async Task Chain(StepCount count, int depth, Task task)
        {
            await (depth == 0 ? task : Chain(count, depth - 1, task));
            count.Value++;
        }
    }

    /// <summary>The same, but only the innermost method awaits.</summary>
    public static async Task<long> AsyncChainReturn(int depth, int calls)
    {
        var count = new StepCount();
        using var semaphore = new SemaphoreSlim(0);
        for (int i = calls / depth; i > 0; i--)
        {
            Task chain = Chain(count, depth - 1, semaphore.WaitAsync());
            semaphore.Release();
            await chain;
        }

        return count.Value;

        static Task Chain(StepCount count, int depth, Task task)
        {
            count.Value++;
            return depth == 0 ? Awaited(task) : Chain(count, depth - 1, task);
        }

        static async Task Awaited(Task task) => await task;
    }

    private static async Task Yield() => await Task.Yield();
}
