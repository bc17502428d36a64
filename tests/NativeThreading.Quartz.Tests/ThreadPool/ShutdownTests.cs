using Microsoft.Extensions.DependencyInjection;
using NativeThreading.Quartz.Tests.Support;
using Quartz.Extensibility;

namespace NativeThreading.Quartz.Tests.ThreadPool;

/// <summary>Which jobs a shutdown waits for, and what becomes of the other ones.</summary>
public sealed class ShutdownTests
{
    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task Host_WaitsForJobsThatAwait_WhereQuartzIsToldTo(bool wait)
    {
        var release = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        var started = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        var ended = new TaskCompletionSource<string>(TaskCreationOptions.RunContinuationsAsynchronously);
        await using JobHost host = await new JobHost(waitForJobs: wait).StartAsync();
        await host.FireAsync<CallingJob>("long", async _ =>
        {
            started.SetResult();
            await release.Task;
            ended.SetResult(Where.AmI);
        });
        await Deadline.For(started.Task);

        Task stop = host.StopAsync();
        if (wait)
        {
            await Deadline.For(ClosedAsync(host), "the scheduler takes no more jobs");
            Assert.False(stop.IsCompleted);
            release.SetResult();
            Assert.Equal("jobs", await Deadline.For(ended.Task));
            await stop;
        }
        else
        {
            await stop;
            Assert.False(ended.Task.IsCompleted);
            release.SetResult();
            Assert.Equal(Where.Runtime, await Deadline.For(ended.Task)); // it ends all the same, though its pool has gone
        }
    }

    /// <summary>The store has recorded the firing, so the job continues work: it is not lost with its pool.</summary>
    [Fact]
    public async Task JobThatWaitsInAPoolWhichATokenStops_RunsElsewhere()
    {
        var pool = new NativeThreadPool(new NativeThreadPoolOptions { MaxThreads = 1, MaxBlockedThreads = 0 });
        JobThreadPool jobs = JobThreadPools.Create(pool, 2);
        var ran = new TaskCompletionSource<string>(TaskCreationOptions.RunContinuationsAsynchronously);
        using (new BlockedWorkers(pool, 1))
        {
            Assert.True(await jobs.TryRun(() =>
            {
                ran.SetResult(Where.AmI);
                return default;
            }));
            Assert.Equal(0, await Deadline.For(pool.ShutdownAsync(new CancellationToken(canceled: true))));
            Assert.Equal(Where.Runtime, await Deadline.For(ran.Task));
        }

        Assert.Equal(1, pool.RanElsewhereCount);
        await Deadline.For(jobs.Shutdown(waitForJobsToComplete: true).AsTask());
    }

    [Fact]
    public async Task Drain_GivesUpAtItsDeadline_AndTellsSo()
    {
        await using var pool = new NativeThreadPool();
        JobThreadPool jobs = JobThreadPools.Create(pool, 2);
        var release = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        Assert.True(await jobs.TryRun(async () => await release.Task));
        using var now = new CancellationTokenSource();
        await now.CancelAsync();
        Assert.False(await Deadline.For(jobs.Drain(now.Token).AsTask()));
        Assert.False(await jobs.TryRun(() => default));
        Assert.Equal(0, await jobs.WaitForAvailableThreads());
        Task shutdown = jobs.Shutdown(waitForJobsToComplete: true).AsTask();
        Assert.False(shutdown.IsCompleted);
        release.SetResult();
        await Deadline.For(shutdown);
        Assert.True(await Deadline.For(jobs.Drain().AsTask()));
    }

    [Fact]
    public async Task WhatThrowsAroundAJob_GivesItsSlotBack()
    {
        await using var pool = new NativeThreadPool();
        JobThreadPool jobs = JobThreadPools.Create(pool, 1);
        Assert.True(await jobs.TryRun(() => throw new InvalidOperationException("thrown at once")));
        Assert.True(await Deadline.For(jobs.TryRun(async () =>
        {
            await Task.Yield();
            throw new InvalidOperationException("thrown later");
        }).AsTask()));
        Assert.Equal(1, await Deadline.For(jobs.WaitForAvailableThreads().AsTask()));
        Assert.True(await Deadline.For(jobs.Drain().AsTask()));
    }

    /// <summary>A job that Quartz has recorded as started runs, if need be elsewhere.</summary>
    [Fact]
    public async Task T36_PoolThatHasStopped_LosesNoJob()
    {
        var pool = new NativeThreadPool();
        JobThreadPool jobs = JobThreadPools.Create(pool, 1);
        await Deadline.For(pool.DisposeAsync().AsTask());
        var ran = new TaskCompletionSource<string>(TaskCreationOptions.RunContinuationsAsynchronously);
        Assert.Equal(1, await Deadline.For(jobs.WaitForAvailableThreads().AsTask()));
        Assert.True(await jobs.TryRun(() =>
        {
            ran.SetResult(Where.AmI);
            return default;
        }));
        Assert.Equal(Where.Runtime, await Deadline.For(ran.Task));
        Assert.True(pool.RanElsewhereCount > 0);
    }

    /// <summary>Slots that are taken and returned by many while they are closed: the table is drained once all are back, not before.</summary>
    [Fact]
    [Trait("Category", "Race")]
    public void Slots_ClosedWhileTheyAreTaken_DrainOnce()
    {
        foreach (int round in Soak.Repeat(300))
        {
            var slots = new JobSlots(2);
            StartGate.Run(3, thread =>
            {
                if (thread == 0)
                {
                    slots.Close();
                }
                else if (slots.TryTake())
                {
                    Assert.False(slots.Drained.IsCompleted);
                    slots.Return();
                }
            });
            Assert.True(slots.Drained.IsCompleted);
            Assert.False(slots.TryTake());
        }
    }

    private static async Task ClosedAsync(JobHost host)
    {
        IThreadPool jobs = host.Provider.GetRequiredService<IThreadPool>();
        while (await jobs.WaitForAvailableThreads() > 0)
        {
            await Task.Delay(1);
        }
    }
}
