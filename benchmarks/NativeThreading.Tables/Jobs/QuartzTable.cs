using System.CommandLine;
using NativeThreading.Tables.Harness;
using NativeThreading.Tables.Processes;

namespace NativeThreading.Tables.Jobs;

/// <summary>Quartz.NET's jobs on a NativeThreadPool, compared with Quartz's default pool, which is the built-in one.</summary>
internal sealed class QuartzTable : Table
{
    private const string Command = "quartz";

    public override string Name => Command;

    public override string Description => "Quartz's jobs: what one costs, the process's endpoint while jobs block, an idle scheduler.";

    public override int RequiredProcessors => 2;

    public override TableResult Measure(RunOptions options, ParseResult arguments, Progress progress)
    {
        int runs = options.Quick ? 1 : 5;
        TimeSpan window = TimeSpan.FromSeconds(options.Quick ? 2 : 3.5);

        // An idle scheduler uses half a millisecond in a second: a short window shows little but chance.
        TimeSpan idle = TimeSpan.FromSeconds(options.Quick ? 2 : 30);
        string[] works = [JobRuns.Empty, JobRuns.Blocking, JobRuns.Idle];
        var samples = works.SelectMany(work => JobRuns.Sides.Select(side => $"{work}/{side}")).Append(JobRuns.Alone).ToDictionary(run => run, _ => new List<Sample>());
        for (int run = 0; run < runs; run++)
        {
            // Who goes first alternates: the machine is warmer for the second one.
            IEnumerable<string> order = run % 2 == 0 ? samples.Keys : samples.Keys.Reverse();
            foreach (string name in order)
            {
                progress.Show($"{name}, run {run + 1} of {runs}", run, runs);
                samples[name].Add(RunOnce.Again(Command, name, name.StartsWith(JobRuns.Idle, StringComparison.Ordinal) ? idle : window));
            }
        }

        progress.Clear();
        Sample alone = Statistics.Median(samples[JobRuns.Alone], 3);
        RowResult empty = Row(JobRuns.Empty, "firings/s", Better.Higher, "Triggers that fire once, a schedule in memory, jobs that do nothing; each run in a new process.");
        return new TableResult(runs,
        [
            empty,
            .. empty.ByCpuTime("quartz/empty/cpu") is { } cpu ? [cpu] : Array.Empty<RowResult>(),
            Row(JobRuns.Blocking, "ms", Better.Lower,
                $"p99 of a Kestrel endpoint of the same process while up to {JobRuns.AtOnce} jobs block for {JobRuns.BlockTime.TotalMilliseconds} ms each; {alone.Value} ms where no job runs. "
                + "A request that was not answered within the window counts as that long."),
            Row(JobRuns.Idle, "ms CPU per s", Better.Lower, $"The whole process, over {idle.TotalSeconds} s, with a trigger due in an hour."),
        ]);

        RowResult Row(string work, string unit, Better better, string note) => new(
            $"quartz/{work}", unit, better, Median(work, Contender.Native), Median(work, Contender.ThreadPool), note);

        Sample Median(string work, string side) => Statistics.Median(samples[$"{work}/{side}"], 3);
    }
}
