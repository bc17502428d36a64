using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;
using Quartz;

namespace NativeThreading.Quartz.Tests.Support;

/// <summary>A host with a scheduler in memory whose jobs run on the pool "jobs".</summary>
internal sealed class JobHost : IAsyncDisposable
{
    private readonly HostApplicationBuilder _builder = Host.CreateEmptyApplicationBuilder(null);
    private IHost? _host;

    public JobHost(
        Action<NativeThreadPoolOptions>? pool = null, Action<IQuartzBuilder>? quartz = null, Action<NativeThreadPoolJobOptions>? jobs = null, bool waitForJobs = true)
    {
        _builder.Services.AddNativeThreadPool("jobs", pool);
        _builder.Services.AddQuartz(builder =>
        {
            builder.UseNativeThreadPool("jobs", jobs);
            builder.AddSchedulerListener(Errors);
            quartz?.Invoke(builder);
        });
        _builder.Services.AddQuartzHostedService(options => options.WaitForJobsToComplete = waitForJobs);
        _builder.Logging.SetMinimumLevel(LogLevel.Critical);
    }

    public SchedulerErrors Errors { get; } = new();

    public IServiceCollection Services => _builder.Services;

    public IServiceProvider Provider => (_host ??= _builder.Build()).Services;

    public IScheduler Scheduler { get; private set; } = null!;

    public NativeThreadPool Pool(string name = "jobs") => Provider.GetRequiredKeyedService<NativeThreadPool>(name);

    public async Task<JobHost> StartAsync()
    {
        _ = Provider;
        await Deadline.For(_host!.StartAsync(), "start of the host");
        Scheduler = await Provider.GetRequiredService<ISchedulerFactory>().GetScheduler();
        return this;
    }

    public Task StopAsync() => Deadline.For(_host!.StopAsync(), "stop of the host");

    /// <summary>Fires a job once, now; what it calls is in its data.</summary>
    public async Task FireAsync<TJob>(string name, Func<IJobExecutionContext, Task> body, string? poolOfTrigger = null, string? poolOfJob = null)
        where TJob : IJob
    {
        JobDataMap ofJob = DataWith(poolOfJob);
        ofJob[CallingJob.Body] = body;
        await Scheduler.ScheduleJob(
            JobBuilder.Create<TJob>().WithIdentity(name).UsingJobData(ofJob).Build(),
            TriggerBuilder.Create().WithIdentity(name).UsingJobData(DataWith(poolOfTrigger)).StartNow().Build());
    }

    private static JobDataMap DataWith(string? pool)
    {
        var data = new JobDataMap();
        if (pool is not null)
        {
            data[NativeThreadPoolJobs.PoolNameKey] = pool;
        }

        return data;
    }

    public async ValueTask DisposeAsync()
    {
        if (_host is IAsyncDisposable host)
        {
            await Deadline.For(host.DisposeAsync().AsTask(), "end of the host");
        }
    }
}
