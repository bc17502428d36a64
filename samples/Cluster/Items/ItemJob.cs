using Quartz;

namespace NativeThreading.Samples.Cluster;

/// <summary>
/// The work items that the trigger's data names: one, or a few, one after the other. A job that throws is over for Quartz unless a
/// policy says otherwise. It stands here and not at the triggers, because that of a recovered firing is made by Quartz, without one.
/// </summary>
[RetryPolicy(1_000, "00:00:00.2", 2, MaxDelay = "00:00:05", Jitter = 0.5)]
internal sealed class ItemJob(IEffects effects, ClusterSettings settings) : IJob
{
    public const string Items = "items";
    public const char Separator = ',';

    private static ulong s_result; // or the compiler would leave the work out

    public async ValueTask Execute(IJobExecutionContext context, CancellationToken cancellationToken)
    {
        if (settings.Chaos && context is { Recovering: true, RetryAttempt: 0 })
        {
            throw new IOException("Chaos: a firing that is recovered fails at first.");
        }

        // The data of the merged map: a firing that is recovered has a trigger of another name with the same data.
        if (!context.MergedJobDataMap.TryGetString(Items, out string? items) && context.Recovering)
        {
            // The node that was given up has gone on and ended this firing while another one recovered it. With the trigger the data have
            // gone, and there is nothing left to do.
            return;
        }

        // If a node dies in the middle, those that are done come again, too, and find their keys taken.
        foreach (string key in items!.Split(Separator))
        {
            await DoAsync(key, cancellationToken);
        }
    }

    private async Task DoAsync(string key, CancellationToken cancellationToken)
    {
        if (settings.Wait > TimeSpan.Zero)
        {
            await Task.Delay(settings.Wait, cancellationToken);
        }

        if (settings.Block > TimeSpan.Zero)
        {
            Thread.Sleep(settings.Block); // work that cannot await; the pool makes up for the thread
        }

        s_result = Compute(settings.Compute * 1_000_000L);
        await effects.ApplyAsync(key, cancellationToken);
    }

    /// <summary>So many steps, each of which needs the one before; not so much time, which would also pass without a processor.</summary>
    private static ulong Compute(long steps)
    {
        ulong value = 1;
        for (; steps > 0; steps--)
        {
            value = (value * 6364136223846793005) + 1442695040888963407;
        }

        return value;
    }
}
