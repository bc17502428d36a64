namespace NativeThreading.Workloads.Tasks;

/// <summary>The sets of benaadams/ThreadPoolTaskTesting that are made of tasks, with that program's definitions: each makes <c>calls / depth</c>
/// chains or fans of <c>depth</c>, one after the other, and returns how many steps were executed.</summary>
/// <remarks>The steps of one call follow each other, except in the fans; so fans count with interlocked additions.</remarks>
internal static partial class TaskSets<TPool>
    where TPool : struct, IPool
{
    /// <summary>Each task runs the next and returns its task.</summary>
    public static async Task<long> SubTaskChainReturn(int depth, int calls)
    {
        var count = new StepCount<TPool>();
        for (int i = calls / depth; i > 0; i--)
        {
            await Return(count, depth - 1);
        }

        return count.Value;

        static Task Return(StepCount<TPool> count, int depth) => depth == 0
            ? default(TPool).Run(() => count.AddAndReturn(Task.CompletedTask))
            : default(TPool).Run(() => count.AddAndReturn(Return(count, depth - 1)));
    }

    /// <summary>Each task runs the next and awaits it.</summary>
    public static async Task<long> SubTaskChainAwaited(int depth, int calls)
    {
        var count = new StepCount<TPool>();
        for (int i = calls / depth; i > 0; i--)
        {
            await Awaited(count, depth - 1);
        }

        return count.Value;

        static async Task Awaited(StepCount<TPool> count, int depth)
        {
            count.Add();
            if (depth == 0)
            {
                await default(TPool).Run(static () => Task.CompletedTask);
                return;
            }

            await default(TPool).Run(() => Awaited(count, depth - 1));
        }
    }

    /// <summary>Tasks that yield once, awaited together.</summary>
    public static async Task<long> SubTaskFanOutAwaited(int depth, int calls)
    {
        var count = new StepCount<TPool>();
        Func<Task> yield = count.AddAndYield;
        for (int i = calls / depth; i > 0; i--)
        {
            var tasks = new Task[depth];
            for (int task = 0; task < depth; task++)
            {
                tasks[task] = default(TPool).Run(yield);
            }

            await Task.WhenAll(tasks);
        }

        return count.Value;
    }

    private static async Task Yield() => await Task.Yield();
}
