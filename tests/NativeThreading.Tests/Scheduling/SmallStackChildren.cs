using NativeThreading.Tests.Limits;
using NativeThreading.Tests.Support;

namespace NativeThreading.Tests.Scheduling;

/// <summary>What the child processes of <see cref="SmallStackTests"/> do, on stacks where the framework runs no task in place.</summary>
internal static class SmallStackChildren
{
    public static int Resume()
    {
        using NativeThreadPool pool = Pools.WithThreads(1);
        bool isShort = pool.OnWorker(() => !System.Runtime.CompilerServices.RuntimeHelpers.TryEnsureSufficientExecutionStack());
        for (int i = 0; i < 100; i++)
        {
            Deadline.Wait(pool.Run(StepsAsync));
            Deadline.Wait(pool.Run(StepsAsync, new CancellationTokenSource().Token));
        }

        return isShort ? 0 : 1;
    }

    public static int LeaveTheLine()
    {
        using NativeThreadPool pool = Limited.Pool(1, QueueFullMode.Wait);
        Task[] tasks;
        using (new BlockedWorkers(pool, 1))
        {
            pool.Fill();
            tasks = [.. Enumerable.Range(0, 100).Select(_ => pool.RunAsync(StepsAsync))];
        }

        Deadline.Wait(Task.WhenAll(tasks));
        return 0;
    }

    /// <summary>The pool has gone; the threads of the built-in pool have as little stack.</summary>
    public static int ResumeElsewhere()
    {
        NativeThreadPool pool = Pools.WithThreads(1);
        var gate = new TaskCompletionSource();
        Task operation = pool.Run(async () => await gate.Task);
        pool.OnWorker(() => { });
        using var source = new CancellationTokenSource();
        Task stopped = pool.ShutdownAsync(source.Token);
        source.Cancel();
        Deadline.Wait(stopped);
        gate.SetResult();
        Deadline.Wait(operation);
        return pool.RanElsewhereCount == 0 ? 1 : 0;
    }

    private static async Task StepsAsync()
    {
        for (int i = 0; i < 3; i++)
        {
            await Task.Yield();
            await Elsewhere.CompleteAsync();
        }
    }
}
