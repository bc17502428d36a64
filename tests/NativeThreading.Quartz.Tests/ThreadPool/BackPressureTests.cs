using NativeThreading.Quartz.Tests.Support;

namespace NativeThreading.Quartz.Tests.ThreadPool;

/// <summary>How much room the pool reports to a scheduler, and what becomes of jobs when there is none.</summary>
public sealed class BackPressureTests : IAsyncDisposable
{
    private readonly List<NativeThreadPool> _pools = [];

    [Fact]
    public async Task FreeSlots_AreWhatIsAvailable()
    {
        JobThreadPool jobs = Create(NewPool(), 3);
        Assert.Equal(3, await jobs.WaitForAvailableThreads());
        var release = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        for (int running = 1; running <= 3; running++)
        {
            Assert.True(await jobs.TryRun(async () => await release.Task));
            Assert.Equal(running < 3, jobs.WaitForAvailableThreads().AsTask().IsCompleted);
        }

        // The fourth is not refused: it comes when one of the others has ended.
        Task<bool> fourth = jobs.TryRun(() => default).AsTask();
        Task<int> room = jobs.WaitForAvailableThreads().AsTask();
        Assert.False(fourth.IsCompleted || room.IsCompleted);
        release.SetResult();
        Assert.True(await Deadline.For(fourth));
        Assert.True(await Deadline.For(room) >= 1);
    }

    [Fact]
    public async Task WhileMoreWaitsInThePoolThanItHasThreads_NothingIsTakenFromTheStore()
    {
        NativeThreadPool pool = NewPool(options => options.MaxThreads = 1);
        JobThreadPool jobs = Create(pool, 10);
        Task<int> room;
        using (var occupied = new BlockedWorkers(pool, pool.MaxThreads))
        {
            Assert.Equal(10, await jobs.WaitForAvailableThreads());
            pool.QueueUserWorkItem(_ => { });
            Assert.Equal(10, await jobs.WaitForAvailableThreads()); // one for the thread to take next
            pool.QueueUserWorkItem(_ => { });
            room = jobs.WaitForAvailableThreads().AsTask();
            Assert.False(room.IsCompleted);
        }

        Assert.Equal(10, await Deadline.For(room));
    }

    [Fact]
    public async Task JobsThatAllBlockOnTheirPool_AtItsLimit_AreRescued()
    {
        const int most = 8;
        NativeThreadPool pool = NewPool(options => (options.MaxThreads, options.MaxBlockedThreads) = (1, 2));
        JobThreadPool jobs = Create(pool, most);
        var ended = new List<Task>();
        for (int i = 0; i < most; i++)
        {
            var end = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
            ended.Add(end.Task);
            Assert.True(await jobs.TryRun(() =>
            {
                Deadline.Wait(WorkAsync());
                end.SetResult();
                return default;
            }));
        }

        await Deadline.For(Task.WhenAll(ended));

        static async Task WorkAsync() => await Task.Delay(1);
    }

    [Fact]
    public async Task TheQueuesLimit_BoundsWhatIsAvailable()
    {
        NativeThreadPool pool = NewPool(options => (options.MaxThreads, options.QueueLimit) = (4, 4));
        JobThreadPool jobs = Create(pool, 10);
        Assert.Equal(4, await jobs.WaitForAvailableThreads());
        Task<int> room;
        using (var occupied = new BlockedWorkers(pool, pool.MaxThreads))
        {
            pool.QueueUserWorkItem(_ => { });
            Assert.Equal(3, await jobs.WaitForAvailableThreads());
            for (int i = 0; i < 3; i++)
            {
                pool.QueueUserWorkItem(_ => { });
            }

            room = jobs.WaitForAvailableThreads().AsTask();
            Assert.False(room.IsCompleted);
        }

        Assert.InRange(await Deadline.For(room), 1, 4);
    }

    /// <summary>The store has recorded the firing before the pool sees it. Others may have taken the room meanwhile.</summary>
    [Fact]
    public async Task FiringsThatFindTheQueueFull_AreNotRefused()
    {
        const int Jobs = 5;
        await using JobHost host = await new JobHost(
            pool => (pool.MaxThreads, pool.MaxBlockedThreads, pool.QueueLimit, pool.QueueFullMode) = (1, 0, 1, QueueFullMode.Reject),
            jobs: jobs => jobs.MaxConcurrency = Jobs).StartAsync();
        using var ran = new CountdownEvent(Jobs);
        using (var occupied = new BlockedWorkers(host.Pool(), host.Pool().MaxThreads))
        {
            Assert.True(host.Pool().TryQueueUserWorkItem(_ => { }, null));
            Assert.False(host.Pool().TryQueueUserWorkItem(_ => { }, null));
            for (int i = 0; i < Jobs; i++)
            {
                await host.FireAsync<CallingJob>($"{i}", _ =>
                {
                    ran.Signal();
                    return Task.CompletedTask;
                });
            }
        }

        Deadline.Wait(ran);
        await host.StopAsync();
        Assert.Empty(host.Errors.All);
    }

    [Fact]
    public async Task WaitingForRoom_EndsWithItsToken_AndWithTheScheduler()
    {
        JobThreadPool jobs = Create(NewPool(), 1);
        var release = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        Assert.True(await jobs.TryRun(async () => await release.Task));
        using var cancel = new CancellationTokenSource();
        Task<int> cancelled = jobs.WaitForAvailableThreads(cancel.Token).AsTask();
        Task<int> closed = jobs.WaitForAvailableThreads().AsTask();
        Task<bool> refused = jobs.TryRun(() => default).AsTask();
        await cancel.CancelAsync();
        Assert.Equal(0, await Deadline.For(cancelled));
        Assert.False(closed.IsCompleted || refused.IsCompleted);
        await jobs.Shutdown(waitForJobsToComplete: false);
        Assert.Equal(0, await Deadline.For(closed));
        Assert.False(await Deadline.For(refused));
        release.SetResult();
        Assert.True(await Deadline.For(jobs.Drain().AsTask()));
    }

    public async ValueTask DisposeAsync()
    {
        foreach (NativeThreadPool pool in _pools)
        {
            await Deadline.For(pool.DisposeAsync().AsTask());
        }
    }

    private static JobThreadPool Create(NativeThreadPool pool, int maxConcurrency) => JobThreadPools.Create(pool, maxConcurrency);

    private NativeThreadPool NewPool(Action<NativeThreadPoolOptions>? configure = null)
    {
        var options = new NativeThreadPoolOptions { Name = "jobs", MaxBlockedThreads = 0 };
        configure?.Invoke(options);
        _pools.Add(new NativeThreadPool(options));
        return _pools[^1];
    }
}
