namespace NativeThreading.Workloads.Tasks;

/// <summary>Chains and fans of continuations.</summary>
internal static partial class TaskSets<TPool>
    where TPool : struct, IPool
{
    /// <summary>Continuations that do not run inline, one after the other.</summary>
    public static async Task<long> ContinuationChain(int depth, int calls)
    {
        var count = new StepCount<TPool>();
        Action<Task> step = _ => count.Add();
        for (int i = calls / depth; i > 0; i--)
        {
            Task task = default(TPool).Run(Yield);
            for (int step1 = 0; step1 < depth; step1++)
            {
                task = task.ContinueWith(
                    step, CancellationToken.None, TaskContinuationOptions.RunContinuationsAsynchronously, default(TPool).Scheduler);
            }

            await task;
        }

        return count.Value;
    }

    /// <summary>Continuations of one task, awaited together.</summary>
    public static Task<long> ContinuationFanOut(int depth, int calls) => FanOut(depth, calls, Task.WhenAll);

    /// <summary>The same, awaited by the pool's own way to wait for all.</summary>
    public static Task<long> ContinuationFanOutWhenAll(int depth, int calls) => FanOut(depth, calls, default(TPool).WhenAll);

    private static async Task<long> FanOut(int depth, int calls, Func<Task[], Task> whenAll)
    {
        var count = new StepCount<TPool>();
        Action<Task> step = _ => count.AddInterlocked();
        for (int i = calls / depth; i > 0; i--)
        {
            var tasks = new Task[depth];
            Task first = default(TPool).Run(Yield);
            for (int task = 0; task < depth; task++)
            {
                tasks[task] = first.ContinueWith(
                    step, CancellationToken.None, TaskContinuationOptions.RunContinuationsAsynchronously, default(TPool).Scheduler);
            }

            await whenAll(tasks);
        }

        return count.Value;
    }
}
