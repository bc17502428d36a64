using System.CommandLine;
using System.Diagnostics;
using NativeThreading.Tables.Harness;

namespace NativeThreading.Tables.Quiet;

/// <summary>Two pools whose workers are all parked, watched from outside: nothing may happen.</summary>
internal sealed class QuietTable : Table
{
    private static readonly TimeSpan Deadline = TimeSpan.FromSeconds(30);
    private static readonly TimeSpan Settled = TimeSpan.FromSeconds(1);

    public override string Name => "quiet";

    public override string Description => "Context switches and CPU time of parked workers, watched for 10 s (--quick: 3 s).";

    public override TableResult Measure(RunOptions options, ParseResult arguments, Progress progress)
    {
        if (!OperatingSystem.IsLinux())
        {
            throw new MeasurementException("reads /proc, which only Linux has.");
        }

        TimeSpan window = TimeSpan.FromSeconds(options.Quick ? 2 : 10);
        using var pool = new NativeThreadPool(new NativeThreadPoolOptions { Name = "quiet", IdleTimeout = Timeout.InfiniteTimeSpan });
        WatchedPool.Fill(work => pool.QueueUserWorkItem(_ => work()), Environment.ProcessorCount, Deadline);
        WatchedPool.Fill(work => ThreadPool.QueueUserWorkItem(_ => work()), Environment.ProcessorCount, Deadline);

        var ours = new WatchedPool("quiet-worker-");
        var builtIn = new WatchedPool(".NET TP");
        GC.Collect();
        bool settled = WaitUntilSettled(ours, builtIn);

        string trace = $"strace {string.Join(' ', ours.Ids.Select(id => $"-p {id}"))}";
        progress.Clear();
        Console.WriteLine($"Process {Environment.ProcessId}: watching {ours.Ids.Count()} workers of ours and "
            + $"{builtIn.Ids.Count()} of the built-in pool for {window.TotalSeconds} s{(settled ? "" : " (not settled)")}.");
        Thread.Sleep(window);
        (Sample native, Sample peer) = (ours.Since(), builtIn.Since());

        string note = $"Over {window.TotalSeconds} s, all worker threads together. A thread without a switch and without CPU time slept in one "
            + $"system call throughout, so it made none; to see it: {trace} (attaching itself wakes the threads once).";
        var switches = new RowResult(
            "quiet/context-switches", "switches", Better.Lower, native,
            new Dictionary<string, Sample> { [Contender.ThreadPool] = peer }, note);
        return new TableResult(1, [switches, switches.ByCpuTime("quiet/cpu-time")!]);
    }

    /// <summary>The pools are quiet once a whole second has passed without a switch; a pool that never gets there is
    /// measured all the same, and shows.</summary>
    private static bool WaitUntilSettled(WatchedPool ours, WatchedPool builtIn)
    {
        var clock = Stopwatch.StartNew();
        do
        {
            ours.Look();
            builtIn.Look();
            Thread.Sleep(Settled);
            if (ours.Since().Value == 0 && builtIn.Since().Value == 0)
            {
                return true;
            }
        }
        while (clock.Elapsed < TimeSpan.FromSeconds(8));
        ours.Look();
        builtIn.Look();
        return false;
    }
}
