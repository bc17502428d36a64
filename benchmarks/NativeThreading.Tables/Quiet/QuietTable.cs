using System.CommandLine;
using NativeThreading.Tables.Harness;
using NativeThreading.Workloads.Quiet;

namespace NativeThreading.Tables.Quiet;

/// <summary>Two pools whose workers are all parked, watched from outside: nothing may happen.</summary>
internal sealed class QuietTable : Table
{
    public override string Name => "quiet";

    public override string Description => "Context switches and CPU time of parked workers, watched for 10 s (--quick: 3 s).";

    public override TableResult Measure(RunOptions options, ParseResult arguments, Progress progress)
    {
        if (!OperatingSystem.IsLinux())
        {
            throw new MeasurementException("reads /proc, which only Linux has.");
        }

        TimeSpan window = TimeSpan.FromSeconds(options.Quick ? 2 : 10);
        using OwnPool pool = OwnPool.Lasting("quiet", Environment.ProcessorCount);
        pool.Fill(Environment.ProcessorCount);
        default(BuiltInPool).Fill(Environment.ProcessorCount);

        var ours = new WatchedThreads("quiet-worker-");
        var builtIn = new WatchedThreads(".NET TP");
        GC.Collect();
        bool settled = WatchedThreads.Settle(TimeSpan.FromSeconds(1), ours, builtIn);

        string trace = $"strace {string.Join(' ', ours.Ids.Select(id => $"-p {id}"))}";
        progress.Clear();
        Console.WriteLine($"Process {Environment.ProcessId}: watching {ours.Ids.Count()} workers of NativeThreading and "
            + $"{builtIn.Ids.Count()} of the built-in pool for {window.TotalSeconds} s{(settled ? "" : " (not settled)")}.");
        Thread.Sleep(window);
        (Sample native, Sample peer) = (ours.Since(), builtIn.Since());

        string note = $"Over {window.TotalSeconds} s, all worker threads together. A thread without a switch and without CPU time slept in one "
            + $"system call throughout, so it made none; to see it: {trace} (attaching itself wakes the threads once).";
        var switches = new RowResult("quiet/context-switches", "switches", Better.Lower, native, peer, note);
        return new TableResult(1, [switches, switches.ByCpuTime("quiet/cpu-time")!]);
    }
}
