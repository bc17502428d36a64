using Microsoft.Extensions.DependencyInjection;
using NativeThreading.Diagnostics;
using NativeThreading.Quartz.Tests.Support;
using NativeThreading.Tests.Support;
using Quartz;

namespace NativeThreading.Quartz.Tests.Jobs;

/// <summary>On which threads jobs run.</summary>
public sealed class WhereJobsRunTests
{
    [Fact]
    public async Task Jobs_RunOnThePool_AndSoDoTheirAwaits()
    {
        await using JobHost host = await new JobHost().StartAsync();
        Assert.Equal("jobs jobs jobs", await WhereAsync<CallingJob>(host));
        await host.StopAsync();
        Assert.Empty(host.Errors.All);
    }

    [Fact]
    public async Task ThePoolOfAJob_IsThatOfItsAttribute_OfItsData_OfItsTriggersData()
    {
        await using JobHost host = WithReports();
        await host.StartAsync();
        Assert.Equal("reports reports reports", await WhereAsync<ReportJob>(host));
        Assert.Equal("other other other", await WhereAsync<ReportJob>(host, ofJob: "other"));
        Assert.Equal("jobs jobs jobs", await WhereAsync<ReportJob>(host, ofJob: "other", ofTrigger: "jobs"));
        await host.StopAsync();
        Assert.Empty(host.Errors.All);
    }

    /// <summary>Quartz continues wherever the listener's await has completed.</summary>
    [Fact]
    public async Task BehindAListenerThatAwaits_TheJobIsOnThePoolAllTheSame()
    {
        await using JobHost host = await new JobHost(quartz: quartz => quartz.AddJobListener(new AwaitingListener())).StartAsync();
        Assert.Equal("jobs jobs jobs", await WhereAsync<CallingJob>(host));
        await host.StopAsync();
    }

    [Fact]
    public async Task TwoSchedulers_HaveAPoolEach()
    {
        await using JobHost host = WithReports();
        host.Services.AddQuartz("second", quartz => quartz.UseNativeThreadPool("reports", jobs => jobs.MaxConcurrency = 7));
        await host.StartAsync();
        IScheduler second = await host.Provider.GetRequiredKeyedService<ISchedulerFactory>("second").GetScheduler();

        Assert.Equal("jobs jobs jobs", await WhereAsync<CallingJob>(host));
        Assert.Equal(7, (await second.GetMetadata()).ThreadPoolSize);
        var where = new TaskCompletionSource<string>(TaskCreationOptions.RunContinuationsAsynchronously);
        Func<IJobExecutionContext, Task> body = async _ => where.SetResult(await Where.AmIAlways());
        await second.ScheduleJob(
            JobBuilder.Create<CallingJob>().UsingJobData(new JobDataMap { [CallingJob.Body] = body }).Build(),
            TriggerBuilder.Create().StartNow().Build());
        Assert.Equal("reports reports reports", await Deadline.For(where.Task));
        await host.StopAsync();
    }

    /// <summary>Eight jobs that wait for one another, blocked, on a pool with one thread.</summary>
    [Fact]
    public async Task T88_JobsThatBlock_AreMadeUpFor()
    {
        const int Together = 8;
        using var all = new CountdownEvent(Together);
        await using JobHost host = await new JobHost(pool => pool.MaxThreads = 1, jobs: jobs => jobs.MaxConcurrency = Together).StartAsync();
        for (int i = 0; i < Together; i++)
        {
            await host.FireAsync<CallingJob>($"{i}", _ =>
            {
                all.Signal();
                Deadline.Wait(all);
                return Task.CompletedTask;
            });
        }

        Deadline.Wait(all);
        await host.StopAsync();
        Assert.Empty(host.Errors.All);
    }

    [Fact]
    public async Task AJob_IsNamedByItsKey()
    {
        using var observer = new ThreadObserver();
        await using JobHost host = await new JobHost().StartAsync();
        var seen = new TaskCompletionSource<(string Key, string?[] Names)>(TaskCreationOptions.RunContinuationsAsynchronously);
        await host.FireAsync<CallingJob>("nightly", context =>
        {
            seen.SetResult((context.JobDetail.Key.ToString(), [.. observer.TakeSnapshot().Pools.SelectMany(static pool => pool.Workers).Select(static worker => worker.Item?.Name)]));
            return Task.CompletedTask;
        });
        (string key, string?[] names) = await Deadline.For(seen.Task);
        Assert.Contains(key, names);
        await host.StopAsync();
    }

    private static JobHost WithReports()
    {
        var host = new JobHost();
        host.Services.AddNativeThreadPool("reports");
        host.Services.AddNativeThreadPool("other");
        return host;
    }

    private static async Task<string> WhereAsync<TJob>(JobHost host, string? ofJob = null, string? ofTrigger = null)
        where TJob : IJob
    {
        var where = new TaskCompletionSource<string>(TaskCreationOptions.RunContinuationsAsynchronously);
        await host.FireAsync<TJob>($"{Guid.NewGuid()}", async _ => where.SetResult(await Where.AmIAlways()), ofTrigger, ofJob);
        return await Deadline.For(where.Task);
    }

    private sealed class AwaitingListener : IJobListener
    {
        public string Name => nameof(AwaitingListener);

        public async ValueTask JobToBeExecuted(IJobExecutionContext context, CancellationToken cancellationToken = default) =>
            await Elsewhere.CompleteAsync().ConfigureAwait(false);
    }
}
