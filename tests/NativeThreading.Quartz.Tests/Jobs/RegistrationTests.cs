using Microsoft.Extensions.DependencyInjection;
using NativeThreading.Quartz.Tests.Support;
using Quartz;

namespace NativeThreading.Quartz.Tests.Jobs;

/// <summary>Adding a scheduler on a pool, and the mistakes that can be made.</summary>
public sealed class RegistrationTests
{
    [Theory]
    [InlineData(null, null, 3)]
    [InlineData(5, null, 5)]
    [InlineData(null, 4, 4)]
    [InlineData(5, 4, 5)]
    public async Task MaxConcurrency_IsOurs_ElseQuartzs_ElseThePools(int? ours, int? quartzs, int expected)
    {
        await using var host = new JobHost(pool => pool.MaxThreads = 3, jobs: jobs => jobs.MaxConcurrency = ours);
        if (quartzs is { } configured)
        {
            host.Services.Configure<ThreadPoolOptions>(options => options.MaxConcurrency = configured);
        }

        await host.StartAsync();
        Assert.Equal(expected, (await host.Scheduler.GetMetadata()).ThreadPoolSize);
        await host.StopAsync();
    }

    [Fact]
    public async Task MaxConcurrencyInQuartzsProperties_IsTaken()
    {
        var services = new ServiceCollection();
        services.AddNativeThreadPool("jobs");
        services.AddQuartz(
            new System.Collections.Specialized.NameValueCollection { ["quartz.threadPool.maxConcurrency"] = "6" }, quartz => quartz.UseNativeThreadPool("jobs"));
        await using ServiceProvider provider = services.BuildServiceProvider();
        IScheduler scheduler = await provider.GetRequiredService<ISchedulerFactory>().GetScheduler();
        Assert.Equal(6, (await scheduler.GetMetadata()).ThreadPoolSize);
        await scheduler.Shutdown();
    }

    [Fact]
    public async Task NoJobAtOnce_IsAnError() =>
        Assert.Contains("between 1 and 2147483647, but was 0.", await StartErrorAsync(new JobHost(jobs: jobs => jobs.MaxConcurrency = 0)), StringComparison.Ordinal);

    [Fact]
    public async Task UnknownPool_EndsTheStart_AndSaysWhatToDo()
    {
        var services = new ServiceCollection();
        services.AddQuartz(quartz => quartz.UseNativeThreadPool("jobs"));
        await using ServiceProvider provider = services.BuildServiceProvider();
        Exception error = await Assert.ThrowsAnyAsync<Exception>(
            async () => await provider.GetRequiredService<ISchedulerFactory>().GetScheduler());
        Assert.Contains("""services.AddNativeThreadPool("jobs")""", error.ToString(), StringComparison.Ordinal);
    }

    [Fact]
    public async Task UnknownPoolOfARegisteredJob_EndsTheStart()
    {
        string error = await StartErrorAsync(new JobHost(quartz: quartz => quartz.AddJob<ReportJob>(job => job.StoreDurably())));
        Assert.Contains("""services.AddNativeThreadPool("reports")""", error, StringComparison.Ordinal);
    }

    [Fact]
    public async Task UnknownPoolInData_FailsThatJobAlone()
    {
        var failed = new TaskCompletionSource<string>(TaskCreationOptions.RunContinuationsAsynchronously);
        await using JobHost host = await new JobHost(quartz: quartz => quartz.AddJobListener(new FailureListener(failed))).StartAsync();
        await host.FireAsync<CallingJob>("lost", _ => Task.CompletedTask, poolOfTrigger: "nowhere");
        Assert.Contains("""services.AddNativeThreadPool("nowhere")""", await Deadline.For(failed.Task), StringComparison.Ordinal);

        var ran = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        await host.FireAsync<CallingJob>("next", _ =>
        {
            ran.SetResult();
            return Task.CompletedTask;
        });
        await Deadline.For(ran.Task);
        await host.StopAsync();
    }

    /// <summary>Quartz would keep the first one without a word.</summary>
    [Fact]
    public void SecondThreadPoolOfAScheduler_IsRefused()
    {
        var services = new ServiceCollection();
        Assert.Throws<InvalidOperationException>(() => services.AddQuartz(quartz =>
        {
            quartz.UseDefaultThreadPool(4);
            quartz.UseNativeThreadPool("jobs");
        }));
        Assert.Throws<InvalidOperationException>(() => services.AddQuartz("named", quartz =>
        {
            quartz.UseNativeThreadPool("jobs");
            quartz.UseNativeThreadPool("others");
        }));
    }

    [Theory]
    [InlineData("")]
    [InlineData(" ")]
    public void NameWithoutText_IsRefused(string name)
    {
        Assert.Throws<ArgumentException>(() => new RunOnNativeThreadPoolAttribute(name));
        Assert.Throws<ArgumentException>(() => new ServiceCollection().AddQuartz(quartz => quartz.UseNativeThreadPool(name)));
    }

    private static async Task<string> StartErrorAsync(JobHost host)
    {
        await using (host)
        {
            return (await Assert.ThrowsAnyAsync<Exception>(host.StartAsync)).ToString();
        }
    }

    private sealed class FailureListener(TaskCompletionSource<string> failed) : IJobListener
    {
        public string Name => nameof(FailureListener);

        public ValueTask JobWasExecuted(IJobExecutionContext context, JobExecutionException? jobException, CancellationToken cancellationToken = default)
        {
            if (jobException is not null)
            {
                failed.TrySetResult(jobException.ToString());
            }

            return default;
        }
    }
}
