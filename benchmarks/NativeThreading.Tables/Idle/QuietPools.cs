using NativeThreading.Tables.Harness;
using NativeThreading.Tables.Quiet;

namespace NativeThreading.Tables.Idle;

/// <summary>
/// Ten pools and two event loops that have worked and now have nothing to do: context switches of all threads of this
/// library, the monitor included.
/// </summary>
internal static class QuietPools
{
    public const string Name = "quiet/context-switches";

    private const int Pools = 10;
    private const int Loops = 2;

    private static readonly TimeSpan Deadline = TimeSpan.FromSeconds(30);
    private static readonly TimeSpan Settled = TimeSpan.FromSeconds(1.5);

    public static Sample Run(TimeSpan time)
    {
        List<NativeThreadPool> pools = [.. Enumerable.Range(0, Pools).Select(i =>
            new NativeThreadPool(new NativeThreadPoolOptions { Name = $"quiet{i}", IdleTimeout = Timeout.InfiniteTimeSpan }))];
        List<EventLoop> loops = [.. Enumerable.Range(0, Loops).Select(i => new EventLoop(new EventLoopOptions { Name = $"quiet-loop{i}" }))];
        foreach (NativeThreadPool pool in pools)
        {
            // With more items than workers, so that the monitor has run, too.
            WatchedPool.Fill(work => pool.QueueUserWorkItem(_ => work()), Environment.ProcessorCount, Deadline);
        }

        foreach (EventLoop loop in loops)
        {
            if (!loop.InvokeAsync(static () => { }).Wait(Deadline))
            {
                throw new MeasurementException("quiet: an event loop did not run an action.");
            }
        }

        var watched = new WatchedPool("quiet");
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
