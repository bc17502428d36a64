using System.Globalization;
using Quartz;

namespace NativeThreading.Samples.Cluster;

/// <summary>Fan-out with Quartz's own means: one durable job, and for each item a trigger that carries the item and fires once.</summary>
internal static class FanOut
{
    private const int Batch = 500;

    private static readonly JobKey s_job = new("items");

    // A job that throws is over for Quartz unless its trigger says otherwise.
    private static readonly RetryPolicy s_retries = RetryPolicy.Exponential(1_000, TimeSpan.FromMilliseconds(200), 2, TimeSpan.FromSeconds(5), 0.5);

    public static async Task ScheduleAsync(IScheduler scheduler, int items, CancellationToken cancellationToken)
    {
        IJobDetail job = JobBuilder.Create<ItemJob>().WithIdentity(s_job).StoreDurably().RequestRecovery().Build();
        await scheduler.AddJob(job, cancellationToken: cancellationToken);
        foreach (int[] batch in Enumerable.Range(0, items).Chunk(Batch))
        {
            await scheduler.ScheduleJob(job, [.. batch.Select(TriggerOf)], new ScheduleJobOptions { Replace = true }, cancellationToken);
        }
    }

    private static ITrigger TriggerOf(int item)
    {
        string key = item.ToString(CultureInfo.InvariantCulture);
        return TriggerBuilder.Create()
            .WithIdentity(key, s_job.Name)
            .ForJob(s_job)
            .UsingJobData(ItemJob.Item, key)
            .WithRetryPolicy(s_retries)
            .StartNow()
            .Build();
    }
}
