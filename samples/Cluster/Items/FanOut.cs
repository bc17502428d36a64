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

    /// <param name="scheduler">Need not be started.</param>
    /// <param name="items">How many.</param>
    /// <param name="grown">Called when the first ones are there, and when all are: the tables are no longer what they were.</param>
    /// <param name="cancellationToken">Gives up in between.</param>
    public static async Task ScheduleAsync(IScheduler scheduler, int items, Func<Task> grown, CancellationToken cancellationToken)
    {
        IJobDetail job = JobBuilder.Create<ItemJob>().WithIdentity(s_job).StoreDurably().RequestRecovery().Build();
        await scheduler.AddJob(job, cancellationToken: cancellationToken);
        foreach (int[] batch in Enumerable.Range(0, items).Chunk(Batch))
        {
            await scheduler.ScheduleJob(job, [.. batch.Select(TriggerOf)], new ScheduleJobOptions { Replace = true }, cancellationToken);
            if (batch[0] == 0 || batch[^1] == items - 1)
            {
                await grown();
            }
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
