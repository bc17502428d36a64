using NativeThreading.Workloads.Quiet;

namespace NativeThreading.Workloads.Idle;

/// <summary>Ten pools and two event loops that have worked and now have nothing to do: context switches of all threads of this library, the monitor
/// included.</summary>
internal static class QuietPools
{
    public const string Name = "quiet/context-switches";

    private const int Pools = 10;
    private const int Loops = 2;

    private static readonly TimeSpan Settled = TimeSpan.FromSeconds(1.5);

    public static Sample Run(TimeSpan time)
    {
        List<OwnPool> pools = [.. Enumerable.Range(0, Pools).Select(i => OwnPool.Lasting($"quiet{i}", Environment.ProcessorCount))];
        List<EventLoop> loops = [.. Enumerable.Range(0, Loops).Select(i => new EventLoop(new EventLoopOptions { Name = $"quiet-loop{i}" }))];
        pools.ForEach(static pool => pool.Fill(Environment.ProcessorCount)); // blocks all workers: the monitor has run, too
        foreach (EventLoop loop in loops)
        {
            if (!loop.InvokeAsync(static () => { }).Wait(PoolExtensions.Deadline))
            {
                throw new MeasurementException("quiet: an event loop did not run an action.");
            }
        }

        // The monitor stays as long as there are pools. So what it did in its life before does not count, as with the others.
        var watched = new WatchedThreads("quiet", "nth-");
        WatchedThreads.Settle(Settled, watched);
        int expected = (Pools * Environment.ProcessorCount) + Loops + 1;
        if (watched.Ids.Count() != expected)
        {
            throw new MeasurementException($"quiet: {watched.Ids.Count()} threads instead of {expected}.");
        }

        Thread.Sleep(time);
        Sample sample = watched.Since();
        pools.ForEach(static pool => pool.Dispose());
        loops.ForEach(static loop => loop.Dispose());
        return sample;
    }
}
