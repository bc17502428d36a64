using System.Globalization;
using Quartz;

namespace NativeThreading.Samples.Cluster;

/// <summary>Fan-out with Quartz's own means: one durable job, and for each item, or for a few, a trigger that carries them and fires once.</summary>
internal static class FanOut
{
    private const int Batch = 500;

    private static readonly JobKey s_job = new("items");

    /// <param name="schedulers">One for each shard. Need not be started.</param>
    /// <param name="items">How many.</param>
    /// <param name="keys">How many of them a trigger carries.</param>
    /// <param name="grown">Called when the first ones are there, and when all are: the tables are no longer what they were.</param>
    /// <param name="cancellationToken">Gives up in between.</param>
    /// <returns>How many items each shard has.</returns>
    public static async Task<int[]> ScheduleAsync(
        IReadOnlyList<IScheduler> schedulers, int items, int keys, Func<Task> grown, CancellationToken cancellationToken)
    {
        ILookup<int, string> byShard = Enumerable.Range(0, items)
            .Select(item => item.ToString(CultureInfo.InvariantCulture))
            .ToLookup(item => Shards.Of(item, schedulers.Count));
        bool isFirst = true;
        for (int shard = 0; shard < schedulers.Count; shard++)
        {
            IJobDetail job = JobBuilder.Create<ItemJob>().WithIdentity(s_job).StoreDurably().RequestRecovery().Build();
            await schedulers[shard].AddJob(job, cancellationToken: cancellationToken);
            foreach (string[][] batch in byShard[shard].Chunk(keys).Chunk(Batch))
            {
                await schedulers[shard].ScheduleJob(job, [.. batch.Select(TriggerOf)], new ScheduleJobOptions { Replace = true }, cancellationToken);
                if (isFirst)
                {
                    await grown();
                    isFirst = false;
                }
            }
        }

        await grown();
        return [.. Enumerable.Range(0, schedulers.Count).Select(shard => byShard[shard].Count())];
    }

    /// <summary>
    /// What Quartz leaves where a node that was given up continues, and ends a firing at the moment at which another node recovers it: the
    /// trigger by which it is to fire again has no data of the item, because the item's own trigger has gone.
    /// </summary>
    public static Task ScheduleRecoveredWithoutDataAsync(IScheduler scheduler, CancellationToken cancellationToken) => scheduler.ScheduleJob(
        TriggerBuilder.Create()
            .WithIdentity("recover_a-node-that-went-on_1", SchedulerConstants.DefaultRecoveryGroup)
            .ForJob(s_job)
            .UsingJobData(SchedulerConstants.FailedJobOriginalTriggerName, "0")
            .StartNow()
            .Build(),
        cancellationToken: cancellationToken).AsTask();

    private static ITrigger TriggerOf(string[] items) => TriggerBuilder.Create()
        .WithIdentity(items[0], s_job.Name)
        .ForJob(s_job)
        .UsingJobData(ItemJob.Items, string.Join(ItemJob.Separator, items))
        .StartNow()
        .Build();
}
