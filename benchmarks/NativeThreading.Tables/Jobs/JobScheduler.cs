using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;
using NativeThreading.Tables.Harness;
using Quartz;

namespace NativeThreading.Tables.Jobs;

/// <summary>A scheduler with its schedule in memory, on a NativeThreadPool or on Quartz's default pool.</summary>
internal sealed class JobScheduler : IAsyncDisposable
{
    private static readonly JobKey s_job = new("job");
    private static int s_triggers;

    private readonly ServiceProvider _services;

    private JobScheduler(ServiceProvider services, IScheduler scheduler) => (_services, Scheduler) = (services, scheduler);

    public IScheduler Scheduler { get; }

    public static async Task<JobScheduler> CreateAsync<TJob>(string side)
        where TJob : IJob
    {
        var services = new ServiceCollection();
        services.AddLogging(logging => logging.SetMinimumLevel(LogLevel.Critical));
        services.AddNativeThreadPool("jobs");
        services.AddQuartz(quartz =>
        {
            if (side == Contender.Native)
            {
                quartz.UseNativeThreadPool("jobs", options => options.MaxConcurrency = JobRuns.AtOnce);
            }
            else
            {
                quartz.UseDefaultThreadPool(JobRuns.AtOnce);
            }
        });
        ServiceProvider provider = services.BuildServiceProvider();
        IScheduler scheduler = await provider.GetRequiredService<ISchedulerFactory>().GetScheduler();
        await scheduler.AddJob(JobBuilder.Create<TJob>().WithIdentity(s_job).StoreDurably().Build());
        return new JobScheduler(provider, scheduler);
    }

    /// <summary>Triggers that are due.</summary>
    public static async Task AddAsync(IScheduler scheduler, int triggers)
    {
        for (int i = 0; i < triggers; i++)
        {
            await scheduler.ScheduleJob(TriggerBuilder.Create().WithIdentity($"{++s_triggers}").ForJob(s_job).StartNow().Build());
        }
    }

    public async ValueTask DisposeAsync()
    {
        await Scheduler.Shutdown(waitForJobsToComplete: false);
        await _services.DisposeAsync();
    }
}
