using NativeThreading.Workloads.Quiet;

namespace NativeThreading.Workloads.Idle;

/// <summary>
/// Ten pools and two event loops that have worked and now have nothing to do: context switches of all threads of this
/// library, the monitor included.
/// </summary>
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

        var watched = new WatchedThreads("quiet");
        int expected = (Pools * Environment.ProcessorCount) + Loops;
        long giveUp = Environment.TickCount64 + 10_000;
        do
        {
            watched.Look();
            Thread.Sleep(Settled);
        }
        while ((watched.Since().Value != 0 || TaskThread.WithName("nth-").Count != 0) && Environment.TickCount64 < giveUp);

        watched.Look();
        if (watched.Ids.Count() != expected)
        {
            throw new MeasurementException($"quiet: {watched.Ids.Count()} threads instead of {expected}.");
        }

        Thread.Sleep(time);
        Sample sample = watched.Since();
        long monitors = TaskThread.WithName("nth-").Sum(static thread => thread.Switches);
        pools.ForEach(static pool => pool.Dispose());
        loops.ForEach(static loop => loop.Dispose());
        return sample with { Value = sample.Value + monitors };
    }
}
