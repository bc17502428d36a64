using Microsoft.Extensions.DependencyInjection;
using NativeThreading.Quartz.Tests.Support;
using Quartz;

namespace NativeThreading.Quartz.Tests.Jobs;

/// <summary>Several schedulers by shard: they share the threads of a pool, and each bounds its own jobs.</summary>
public sealed class SchedulersOnOnePoolTests
{
    private const int Jobs = 6;

    [Fact]
    public async Task SchedulersOfOnePool_HaveTheirOwnNumberOfJobsAtOnce()
    {
        await using var host = new JobHost(pool => pool.MaxThreads = 2);
        host.Services.AddQuartz("first", quartz => quartz.UseNativeThreadPool("jobs", jobs => jobs.MaxConcurrency = 1));
        host.Services.AddQuartz("second", quartz => quartz.UseNativeThreadPool("jobs", jobs => jobs.MaxConcurrency = 2));
        await host.StartAsync();

        var first = new AtOnce();
        var second = new AtOnce();
        using var full = new CountdownEvent(3);
        var release = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        using var done = new CountdownEvent(2 * Jobs);
        await FireAsync("first", first);
        await FireAsync("second", second);

        // One and two of them run, and the others not before these have ended.
        Deadline.Wait(full);
        release.SetResult();
        Deadline.Wait(done);
        await host.StopAsync();
        Assert.Equal((1, 2), (first.Most, second.Most));
        Assert.All(first.Where.Concat(second.Where), where => Assert.Equal("jobs", where));
        Assert.Empty(host.Errors.All);

        async Task FireAsync(string name, AtOnce atOnce)
        {
            IScheduler scheduler = await host.Provider.GetRequiredKeyedService<ISchedulerFactory>(name).GetScheduler();
            for (int job = 0; job < Jobs; job++)
            {
                Func<IJobExecutionContext, Task> body = async _ =>
                {
                    atOnce.Enter();
                    if (full.CurrentCount > 0)
                    {
                        full.Signal();
                    }

                    await release.Task;
                    atOnce.Leave();
                    done.Signal();
                };
                await scheduler.ScheduleJob(
                    JobBuilder.Create<CallingJob>().WithIdentity($"{job}").UsingJobData(new JobDataMap { [CallingJob.Body] = body }).Build(),
                    TriggerBuilder.Create().WithIdentity($"{job}").StartNow().Build());
            }
        }
    }

    /// <summary>How many jobs of a scheduler ran at once at most, and where.</summary>
    private sealed class AtOnce
    {
        private readonly Lock _lock = new();
        private int _now;

        public int Most { get; private set; }

        public List<string> Where { get; } = [];

        public void Enter()
        {
            lock (_lock)
            {
                Most = Math.Max(Most, ++_now);
                Where.Add(Support.Where.AmI);
            }
        }

        public void Leave()
        {
            lock (_lock)
            {
                _now--;
            }
        }
    }
}
