using System.Globalization;
using Quartz;

namespace NativeThreading.Samples.Cluster;

/// <summary>Fan-out with Quartz's own means: one durable job, and for each item, or for a few, a trigger that carries them and fires once.</summary>
internal static class FanOut
{
    private const int Batch = 500;

    private static readonly JobKey s_job = new("items");

    // A job that throws is over for Quartz unless its trigger says otherwise.
    private static readonly RetryPolicy s_retries = RetryPolicy.Exponential(1_000, TimeSpan.FromMilliseconds(200), 2, TimeSpan.FromSeconds(5), 0.5);

    /// <param name="scheduler">Need not be started.</param>
    /// <param name="items">How many.</param>
    /// <param name="keys">How many of them a trigger carries.</param>
    /// <param name="grown">Called when the first ones are there, and when all are: the tables are no longer what they were.</param>
    /// <param name="cancellationToken">Gives up in between.</param>
    public static async Task ScheduleAsync(IScheduler scheduler, int items, int keys, Func<Task> grown, CancellationToken cancellationToken)
    {
        IJobDetail job = JobBuilder.Create<ItemJob>().WithIdentity(s_job).StoreDurably().RequestRecovery().Build();
        await scheduler.AddJob(job, cancellationToken: cancellationToken);
        int[][][] batches = [.. Enumerable.Range(0, items).Chunk(keys).Chunk(Batch)];
        foreach (int[][] batch in batches)
        {
            await scheduler.ScheduleJob(job, [.. batch.Select(TriggerOf)], new ScheduleJobOptions { Replace = true }, cancellationToken);
            if (batch == batches[0] || batch == batches[^1])
            {
                await grown();
            }
        }
    }

    private static ITrigger TriggerOf(int[] items) => TriggerBuilder.Create()
        .WithIdentity(items[0].ToString(CultureInfo.InvariantCulture), s_job.Name)
        .ForJob(s_job)
        .UsingJobData(ItemJob.Items, string.Join(ItemJob.Separator, items.Select(item => item.ToString(CultureInfo.InvariantCulture))))
        .WithRetryPolicy(s_retries)
        .StartNow()
        .Build();
}
