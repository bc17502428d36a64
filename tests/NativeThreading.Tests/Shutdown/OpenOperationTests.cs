using System.Runtime.CompilerServices;
using NativeThreading.Tests.Support;

namespace NativeThreading.Tests.Shutdown;

/// <summary>What a pool knows of operations of Run that are not complete: enough to wait for them, and no more.</summary>
public sealed class OpenOperationTests
{
    [Theory]
    [InlineData(1)]
    [InlineData(1_000)] // the lists grow
    public async Task OperationsThatEndElsewhere_AreAllWaitedFor(int count)
    {
        NativeThreadPool pool = Pools.WithThreads(2);
        TaskCompletionSource[] ends = [.. Enumerable.Range(0, count).Select(_ => new TaskCompletionSource())];
        using var started = new CountdownEvent(count);
        Task[] operations =
        [
            .. ends.Select(end => pool.Run(async () =>
            {
                started.Signal();
                await end.Task.ConfigureAwait(false); // completed by this thread, which runs the rest
            })),
        ];
        Deadline.Wait(started);

        // From here on nothing but the operations keeps the pool from stopping.
        pool.WaitUntilQuiet();
        Task<long> stopped = pool.ShutdownAsync(CancellationToken.None);
        foreach (TaskCompletionSource end in ends)
        {
            Assert.False(pool.Probe.IsStopped);
            end.SetResult();
        }

        Assert.Equal(0, await Deadline.For(stopped));
        Assert.All(operations, operation => Assert.True(operation.IsCompletedSuccessfully));
        Assert.Equal(0, pool.RanElsewhereCount);
    }

    [Fact]
    public async Task OperationsBegunByAnEndedThread_AreWaitedFor()
    {
        var pool = new NativeThreadPool(new NativeThreadPoolOptions { MaxThreads = 1, IdleTimeout = TimeSpan.FromMilliseconds(1) });
        var end = new TaskCompletionSource();
        Task operation = pool.Run(() => end.Task);
        Deadline.Until(() => pool.ThreadCount == 0 && pool.CompletedWorkItemCount == 1);

        Task<long> stopped = pool.ShutdownAsync(CancellationToken.None);
        Assert.False(stopped.IsCompleted);
        end.SetResult();
        Assert.Equal(0, await Deadline.For(stopped));
        await Deadline.For(operation);
    }

    [Fact]
    public async Task CompletedOperation_IsNotKeptAlive()
    {
        await using NativeThreadPool pool = Pools.WithThreads(1);
        WeakReference result = RunOne(pool);
        Deadline.Until(() =>
        {
            GC.Collect();
            GC.WaitForPendingFinalizers();
            return !result.IsAlive;
        });

        [MethodImpl(MethodImplOptions.NoInlining)]
        static WeakReference RunOne(NativeThreadPool pool)
        {
            var end = new TaskCompletionSource<object>();
            using var started = new ManualResetEventSlim();
            Task<object> operation = pool.Run(async () =>
            {
                started.Set();
                return await end.Task.ConfigureAwait(true);
            });
            Deadline.Wait(started);
            end.SetResult(new object());
            return new WeakReference(Deadline.Result(operation));
        }
    }
}
