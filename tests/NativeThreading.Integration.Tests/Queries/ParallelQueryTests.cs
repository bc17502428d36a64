using System.Collections.Concurrent;

namespace NativeThreading.Integration.Queries;

/// <summary>
/// PLINQ knows no scheduler but the runtime's own: of a query on the pool one part stays on the worker that asks, every
/// other one runs on the built-in pool. The page of the calls to migrate says so, and names what stays instead.
/// </summary>
public sealed class ParallelQueryTests : PoolTest
{
    private readonly ConcurrentBag<(bool IsHere, bool IsRuntimes)> _seen = [];

    [Fact]
    public async Task QueryOnThePool_RunsOnePartThere_AndTheOthersOnTheRuntimesPool()
    {
        using var all = new Barrier(3);
        await Deadline.For(Pool.Run(() => ParallelEnumerable.Range(0, 3)
            .WithDegreeOfParallelism(3)
            .WithExecutionMode(ParallelExecutionMode.ForceParallelism)
            .ForAll(_ => See(all))));
        Assert.Equal([(false, true), (false, true), (true, false)], _seen.Order());
    }

    [Fact]
    public async Task LoopInItsPlace_StaysOnThePool()
    {
        using var all = new Barrier(3);
        var options = new ParallelOptions { TaskScheduler = Pool.Scheduler, MaxDegreeOfParallelism = 3 };
        await Deadline.For(Pool.Run(() => Parallel.For(0, 3, options, _ => See(all))));
        Assert.Equal(Enumerable.Repeat((true, false), 3), _seen);
    }

    private void See(Barrier all)
    {
        _seen.Add((NativeThreadPool.Current == Pool, Thread.CurrentThread.IsThreadPoolThread));
        Assert.True(all.SignalAndWait(Deadline.Time), "three at once");
    }
}
