using NativeThreading.Tests.Limits;
using NativeThreading.Tests.Support;

namespace NativeThreading.Tests.Tasks;

/// <summary>What becomes of the task of a function that throws, is cancelled or returns nothing: as with Task.Run (T142).</summary>
public sealed class RunOutcomeTests
{
    [Fact]
    public void T142_Run_EndsAsTheFrameworksRun()
    {
        using NativeThreadPool pool = Pools.WithThreads(2);
        RunCases.AssertAsTaskRun(new RunCalls(pool.Run, pool.Run, pool.Run, pool.Run));
        RunCases.AssertAsTaskRun(new RunCalls(
            (action, token) => Task.Run(pool, action, token),
            (function, token) => Task.Run(pool, function, token),
            (function, token) => Task.Run(pool, function, token),
            (function, token) => Task.Run(pool, function, token)));
    }

    [Fact]
    public void T142_RunAsync_EndsAsTheFrameworksRun()
    {
        using NativeThreadPool pool = Pools.WithThreads(2);
        RunCases.AssertAsTaskRun(RunAsync(pool));
    }

    [Theory]
    [InlineData(QueueFullMode.Reject)]
    [InlineData(QueueFullMode.Wait)]
    [InlineData(QueueFullMode.RunOnCaller)]
    public void T142_WithALimit_TheyEndAsTheFrameworksRun(QueueFullMode mode)
    {
        using NativeThreadPool pool = Limited.Pool(100, mode);
        RunCases.AssertAsTaskRun(new RunCalls(pool.Run, pool.Run, pool.Run, pool.Run));
        RunCases.AssertAsTaskRun(RunAsync(pool));
    }

    /// <summary>The task waits for a permit, or runs on its caller.</summary>
    [Theory]
    [InlineData(QueueFullMode.Wait)]
    [InlineData(QueueFullMode.RunOnCaller)]
    public void T142_WhereTheQueueIsFull_TheyEndAsTheFrameworksRun(QueueFullMode mode)
    {
        using NativeThreadPool pool = Limited.Pool(1, mode);
        RunCalls calls = RunAsync(pool);
        RunCases.AssertAsTaskRun(new RunCalls(
            (action, token) => WhileFull(pool, () => calls.Action(action, token)),
            (function, token) => WhileFull(pool, () => calls.Function(function, token)),
            (function, token) => WhileFull(pool, () => calls.Operation(function, token)),
            (function, token) => WhileFull(pool, () => calls.ResultOperation(function, token))));
    }

    [Fact]
    public void T142_OperationsOfALoop_EndAsTheFrameworksRun()
    {
        using NativeThreadPool pool = Pools.WithThreads(2);
        using NativeThreadPool limited = Limited.Pool(100, QueueFullMode.Wait);
        using var loop = new EventLoop();
        RunCases.AssertAsTaskRun(new RunCalls(loop.InvokeAsync, loop.InvokeAsync, loop.InvokeAsync, loop.InvokeAsync));
        foreach (NativeThreadPool target in new[] { pool, limited })
        {
            RunCases.AssertAsTaskRun(new RunCalls(
                (action, token) => loop.OffloadAsync(target, action, token),
                (function, token) => loop.OffloadAsync(target, function, token),
                (function, token) => loop.OffloadAsync(target, function, token),
                (function, token) => loop.OffloadAsync(target, function, token)));
        }
    }

    [Fact]
    public async Task T142_WhoWaits_FindsTheStackOfTheCancellation()
    {
        using NativeThreadPool pool = Pools.WithThreads(1);
        using var loop = new EventLoop();
        Task[] tasks =
        [
            pool.Run(ThrowCancellation),
            pool.Run(ThrowCancellation, new CancellationTokenSource().Token),
            loop.InvokeAsync(ThrowCancellation),
            loop.OffloadAsync(pool, ThrowCancellation),
        ];
        foreach (Task task in tasks)
        {
            var exception = await Assert.ThrowsAsync<OperationCanceledException>(() => Deadline.For(task));
            Assert.Contains(nameof(ThrowCancellation), exception.StackTrace, StringComparison.Ordinal);
        }

        static Task ThrowCancellation() => throw new OperationCanceledException("thrown");
    }

    private static RunCalls RunAsync(NativeThreadPool pool) => new(pool.RunAsync, pool.RunAsync, pool.RunAsync, pool.RunAsync);

    private static Task WhileFull(NativeThreadPool pool, Func<Task> call)
    {
        using var blocked = new BlockedWorkers(pool, 1);
        pool.Fill();
        return call();
    }
}
