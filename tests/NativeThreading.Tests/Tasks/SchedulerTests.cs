using NativeThreading.Tests.Support;

namespace NativeThreading.Tests.Tasks;

/// <summary>Tasks on the pool's scheduler.</summary>
public sealed class SchedulerTests : IDisposable
{
    private readonly NativeThreadPool _pool = Pools.WithThreads(2, "tasks");

    public void Dispose() => _pool.Dispose();

    [Fact]
    public void Scheduler_SaysWhoseItIs()
    {
        Assert.Same(_pool, _pool.Scheduler.Pool);
        Assert.Same(_pool.Scheduler, _pool.Factory.Scheduler);
        Assert.Equal(TaskScheduler.Default.MaximumConcurrencyLevel, _pool.Scheduler.MaximumConcurrencyLevel);
        Assert.Equal(TaskCreationOptions.DenyChildAttach, _pool.Factory.CreationOptions);
    }

    [Fact]
    public async Task StartedTask_RunsOnThePoolUnderItsScheduler()
    {
        (NativeThreadPool?, TaskScheduler) Look() => (NativeThreadPool.Current, TaskScheduler.Current);
        (NativeThreadPool, TaskScheduler) here = (_pool, _pool.Scheduler);
        Assert.Equal(here, await Deadline.For(_pool.Factory.StartNew(Look)));
        Assert.Equal(here, await Deadline.For(Task.Factory.StartNew(
            Look, CancellationToken.None, TaskCreationOptions.None, _pool.Scheduler)));
        var task = new Task<(NativeThreadPool?, TaskScheduler)>(Look);
        task.Start(_pool.Scheduler);
        Assert.Equal(here, await Deadline.For(task));
    }

    [Fact]
    public async Task ContinueWith_RunsOnThePool()
    {
        Assert.Same(_pool, await Deadline.For(Task.CompletedTask.ContinueWith(_ => NativeThreadPool.Current, _pool.Scheduler)));
        Assert.Same(_pool, await Deadline.For(Task.Run(() => { }).ContinueWith(_ => NativeThreadPool.Current, _pool.Scheduler)));
        Assert.Same(_pool, await Deadline.For(_pool.Run(() => { }).ContinueWith(
            _ => NativeThreadPool.Current, CancellationToken.None, TaskContinuationOptions.ExecuteSynchronously, _pool.Scheduler)));
        Assert.Same(_pool, await Deadline.For(_pool.Factory.ContinueWhenAll(
            [Task.Run(() => { }), Task.Run(() => { })], _ => NativeThreadPool.Current)));
        Assert.Same(_pool, await Deadline.For(_pool.Factory.ContinueWhenAny(
            [Task.Run(() => { }), Task.Run(() => { })], _ => NativeThreadPool.Current)));
    }

    [Fact]
    public void PreferFairness_GoesToTheGlobalOrder()
    {
        using NativeThreadPool pool = Pools.WithThreads(1);
        List<int> local = [];
        List<int> fair = [];
        Task[] tasks = pool.OnWorker(() => Enumerable.Range(0, 100).SelectMany(i => new[]
        {
            pool.Factory.StartNew(() => local.Add(i)),
            pool.Factory.StartNew(() => fair.Add(i), TaskCreationOptions.PreferFairness),
        }).ToArray());
        Deadline.Wait(Task.WhenAll(tasks));
        Assert.Equal(Enumerable.Range(0, 100).Reverse(), local);
        Assert.Equal(Enumerable.Range(0, 100), fair);
    }

    [Fact]
    public async Task LongRunning_GetsAThreadOfItsOwn()
    {
        using NativeThreadPool pool = Pools.WithThreads(1, "tasks");
        using var blocked = new BlockedWorkers(pool, 1);
        var seen = await Deadline.For(pool.Factory.StartNew(
            () => (NativeThreadPool.Current, Thread.CurrentThread.Name, Thread.CurrentThread.IsBackground, TaskScheduler.Current),
            TaskCreationOptions.LongRunning));
        Assert.Equal((pool, "tasks-long-running", true, pool.Scheduler), seen);
        Assert.Equal(1, pool.ThreadCount);
    }

    [Fact]
    public async Task ChildTasks_GoToTheSamePool()
    {
        (NativeThreadPool?, NativeThreadPool?) seen = await Deadline.For(_pool.Factory.StartNew(() =>
        {
            // StartNew without a scheduler takes the current one.
            Task<NativeThreadPool?> child = Task.Factory.StartNew(() => NativeThreadPool.Current);
            return (NativeThreadPool.Current, Deadline.Result(child));
        }));
        Assert.Equal((_pool, _pool), seen);
    }

    [Fact]
    public async Task ParallelLoops_RunOnThePool()
    {
        int foreign = 0;
        await Deadline.For(_pool.Run(() => Parallel.For(
            0,
            1_000,
            new ParallelOptions { TaskScheduler = _pool.Scheduler },
            _ =>
            {
                if (NativeThreadPool.Current != _pool)
                {
                    Interlocked.Increment(ref foreign);
                }
            })));
        Assert.Equal(0, foreign);
    }

    /// <summary>The threads of the pool are no limit: what awaits needs none.</summary>
    [Fact]
    public async Task AsyncLoop_HasAsManyItemsInFlightAsItAsksFor()
    {
        const int InFlight = 50;
        var all = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        int started = 0;
        await Deadline.For(Parallel.ForAsync(
            0,
            InFlight,
            new ParallelOptions { TaskScheduler = _pool.Scheduler, MaxDegreeOfParallelism = InFlight },
            async (_, _) =>
            {
                if (Interlocked.Increment(ref started) == InFlight)
                {
                    all.SetResult();
                }

                await all.Task;
            }));
    }

    [Fact]
    public async Task ConcurrentExclusivePair_RunsOnThePool()
    {
        var pair = new ConcurrentExclusiveSchedulerPair(_pool.Scheduler);
        int inside = 0;
        int overlaps = 0;
        Task[] tasks = [.. Enumerable.Range(0, 500).Select(_ => Task.Factory.StartNew(
            () =>
            {
                if (Interlocked.Increment(ref inside) != 1 || NativeThreadPool.Current != _pool)
                {
                    Interlocked.Increment(ref overlaps);
                }

                Interlocked.Decrement(ref inside);
            },
            CancellationToken.None,
            TaskCreationOptions.None,
            pair.ExclusiveScheduler))];
        await Deadline.For(Task.WhenAll(tasks));
        Assert.Equal(0, overlaps);
    }
}
