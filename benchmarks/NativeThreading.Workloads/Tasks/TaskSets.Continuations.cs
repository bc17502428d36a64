namespace NativeThreading.Workloads.Tasks;

/// <summary>Chains and fans of continuations.</summary>
internal static partial class TaskSets<TPool>
    where TPool : struct, IPool
{
    /// <summary>Continuations that do not run inline, one after the other.</summary>
    public static async Task<long> ContinuationChain(int depth, int calls)
    {
        var count = new StepCount();
        Action<Task> step = _ => count.Value++;
        for (int i = calls / depth; i > 0; i--)
        {
            Task task = default(TPool).Run(Yield);
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
            Task first = default(TPool).Run(Yield);
            for (int task = 0; task < depth; task++)
            {
                tasks[task] = first.ContinueWith(
                    step, CancellationToken.None, TaskContinuationOptions.RunContinuationsAsynchronously, TaskScheduler.Current);
            }

            await Task.WhenAll(tasks);
        }

        return count.Value;
    }
}
