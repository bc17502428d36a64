using System.Globalization;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using NativeThreading.Quartz;
using NativeThreading.Quartz.Tests.Support;
using Npgsql;
using Quartz;

namespace NativeThreading.Quartz.Tests.Documentation;

/// <summary>The code of docs/guides/several-machines.md and that of the package's readme, run.</summary>
public sealed class MoreThanOneMachineSnippets
{
    [Fact]
    public async Task OneProgram_RunsItsJobOnThePool_UntilItIsStopped()
    {
        string[] args = [];

        HostApplicationBuilder builder = Host.CreateApplicationBuilder(args);
        builder.Services.AddNativeThreadPool("jobs");
        builder.Services.AddQuartz(quartz =>
        {
            quartz.UseNativeThreadPool("jobs", jobs => jobs.MaxConcurrency = 20);
            quartz.ScheduleJob<Cleanup>(trigger => trigger.StartNow().WithSimpleSchedule(TimeSpan.FromMinutes(10)));
        });
        builder.Services.AddQuartzHostedService(options => options.WaitForJobsToComplete = true);

        var started = new TaskCompletionSource<IHostApplicationLifetime>(TaskCreationOptions.RunContinuationsAsynchronously);
        builder.Services.AddHostedService(services => new Lifetime(services.GetRequiredService<IHostApplicationLifetime>(), started));
        Task program = RunAsync();
        Assert.Equal("jobs", await Deadline.For(Archive.Where.Task));
        Assert.False(program.IsCompleted);
        (await Deadline.For(started.Task)).StopApplication();
        await Deadline.For(program);

        async Task RunAsync()
        {
            using IHost host = builder.Build();
            await host.RunAsync();                                                              // until SIGTERM or Ctrl+C
        }
    }

    [Fact]
    public async Task SingleJobsAndFanOut()
    {
        HostApplicationBuilder builder = Host.CreateEmptyApplicationBuilder(null);

        builder.Services.AddNativeThreadPool("jobs");
        builder.Services.AddQuartz(quartz => quartz.UseNativeThreadPool("jobs", jobs => jobs.MaxConcurrency = 20));
        builder.Services.AddQuartzHostedService(options => options.WaitForJobsToComplete = true);
        builder.Services.AddNativeThreadPool("reports");
        using IHost host = builder.Build();
        await Deadline.For(host.StartAsync());
        IScheduler scheduler = await host.Services.GetRequiredService<ISchedulerFactory>().GetScheduler();
        Assert.Equal(20, (await scheduler.GetMetadata()).ThreadPoolSize);
        await scheduler.ScheduleJob(JobBuilder.Create<MonthlyReport>().Build(), TriggerBuilder.Create().StartNow().Build());
        Assert.Equal("reports", await Deadline.For(Reports.Where.Task));

        string[] items = [.. Enumerable.Range(0, 10).Select(item => item.ToString(CultureInfo.InvariantCulture))];
        for (int time = 0; time < 2; time++)
        {
            IJobDetail job = JobBuilder.Create<ItemJob>().WithIdentity("items").StoreDurably().RequestRecovery().Build();
            await scheduler.ScheduleJob(job, [.. items.Select(item => TriggerBuilder.Create()
                .WithIdentity(item, "items")                                                    // scheduled twice, it is one trigger
                .ForJob(job)
                .UsingJobData("item", item)
                .StartNow()
                .Build())], ScheduleJobOptions.Replacing);
        }

        await Deadline.For(ItemJob.Done.Task);
        await Deadline.For(host.StopAsync());
    }

    /// <summary>Described, not started: the tests of the sample need the database.</summary>
    [Fact]
    public void SeveralProcesses()
    {
        HostApplicationBuilder builder = Host.CreateEmptyApplicationBuilder(null);
        const string connectionString = "Host=localhost";
        builder.Services.AddNativeThreadPool("jobs");

        builder.Services.AddQuartz(quartz =>
        {
            quartz.UseNativeThreadPool("jobs", jobs => jobs.MaxConcurrency = 20);
            quartz.UsePersistentStore(store =>
            {
                store.UsePostgres(NpgsqlFactory.Instance, connectionString);
                store.ProvisionSchema();                                                    // creates what is missing, and nothing else
                store.UseClustering(cluster => cluster.CheckinMisfireThreshold = TimeSpan.FromSeconds(30));
            });
        });

        using IHost host = builder.Build();
        Assert.NotNull(host.Services.GetRequiredService<ISchedulerFactory>());
    }

    /// <summary>Described, not started, as well.</summary>
    [Fact]
    public void SeveralSchedulersByShard()
    {
        HostApplicationBuilder builder = Host.CreateEmptyApplicationBuilder(null);
        const string connectionString = "Host=localhost";
        const int shards = 4;
        builder.Services.AddNativeThreadPool("jobs");

        for (int shard = 0; shard < shards; shard++)
        {
            builder.Services.AddQuartz($"items-{shard}", quartz =>
            {
                quartz.UseNativeThreadPool("jobs", jobs => jobs.MaxConcurrency = 20 / shards);  // 20 on the node, as before
                quartz.UsePersistentStore(store =>
                {
                    store.UsePostgres(NpgsqlFactory.Instance, connectionString);                // the same, or a database for each shard
                    store.ProvisionSchema();
                    store.UseClustering();
                });
            });
        }

        using IHost host = builder.Build();
        Assert.All(Enumerable.Range(0, shards), shard => Assert.NotNull(host.Services.GetRequiredKeyedService<ISchedulerFactory>($"items-{shard}")));
    }

    [Fact]
    public async Task TheSchedulerOfAShard()
    {
        const int shards = 4;
        HostApplicationBuilder builder = Host.CreateEmptyApplicationBuilder(null);
        builder.Services.AddNativeThreadPool("jobs");
        for (int shard = 0; shard < shards; shard++)
        {
            builder.Services.AddQuartz($"items-{shard}", quartz => quartz.UseNativeThreadPool("jobs"));
        }

        using IHost host = builder.Build();
        IServiceProvider services = host.Services;

        async Task<IScheduler> SchedulerOf(string item) =>
            await services.GetRequiredKeyedService<ISchedulerFactory>($"items-{HashOf(item) % shards}").GetScheduler();

        static int HashOf(string item) => int.Parse(item, CultureInfo.InvariantCulture);

        Assert.Equal("items-3", (await SchedulerOf("7")).SchedulerName);
        Assert.Same(await SchedulerOf("3"), await SchedulerOf("7"));
    }

    public sealed class Cleanup : IJob
    {
        public ValueTask Execute(IJobExecutionContext context, CancellationToken cancellationToken) => Archive.DeleteOldAsync(cancellationToken);
    }

    /// <summary>How a test stops a program that only waits for its end.</summary>
    private sealed class Lifetime(IHostApplicationLifetime lifetime, TaskCompletionSource<IHostApplicationLifetime> started) : BackgroundService
    {
        protected override Task ExecuteAsync(CancellationToken stoppingToken)
        {
            started.SetResult(lifetime);
            return Task.CompletedTask;
        }
    }

    private static class Archive
    {
        public static TaskCompletionSource<string> Where { get; } = new(TaskCreationOptions.RunContinuationsAsynchronously);

        public static ValueTask DeleteOldAsync(CancellationToken cancellationToken)
        {
            cancellationToken.ThrowIfCancellationRequested();
            Where.TrySetResult(Support.Where.AmI);
            return default;
        }
    }

    [RunOnNativeThreadPool("reports")]
    public sealed class MonthlyReport : IJob
    {
        public ValueTask Execute(IJobExecutionContext context, CancellationToken cancellationToken) => Reports.RenderAsync(cancellationToken);
    }

    [RetryPolicy(10, "00:00:01", 2)]
    public sealed class ItemJob : IJob
    {
        private static int s_executed;

        internal static TaskCompletionSource Done { get; } = new(TaskCreationOptions.RunContinuationsAsynchronously);

        public ValueTask Execute(IJobExecutionContext context, CancellationToken cancellationToken)
        {
            if (Interlocked.Increment(ref s_executed) == 10)
            {
                Done.SetResult();
            }

            return default;
        }
    }

    private static class Reports
    {
        public static TaskCompletionSource<string> Where { get; } = new(TaskCreationOptions.RunContinuationsAsynchronously);

        public static ValueTask RenderAsync(CancellationToken cancellationToken)
        {
            cancellationToken.ThrowIfCancellationRequested();
            Where.TrySetResult(Support.Where.AmI);
            return default;
        }
    }
}
