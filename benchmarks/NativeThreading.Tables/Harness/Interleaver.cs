using System.Diagnostics;
using System.Runtime;

namespace NativeThreading.Tables.Harness;

/// <summary>Runs the contenders of all rows side by side. The rounds are the outer loop, so that a disturbance of a second touches one run of many
/// rows and not all runs of one; within a row another contender goes first each time.</summary>
internal static class Interleaver
{
    // A method is recompiled 100 ms after the last one entered the first tier; the pause lets that happen between
    // two warm-up passes, so that the next one already calls what the clock will see.
    private static readonly TimeSpan TieringPause = TimeSpan.FromMilliseconds(250);

    private const int FewMethods = 20; // of a pass over all rows: none of them is hot

    public static TableResult Measure(IReadOnlyList<Row> rows, Schedule schedule, Progress progress)
    {
        if (schedule.OursAlone)
        {
            rows = [.. rows.Select(static row => row with { Peers = [], Floor = null })];
        }

        Contender[][] contenders = [.. rows.Select(r => r.Contenders)];
        List<Sample>[][] samples = [.. contenders.Select(c => c.Select(_ => new List<Sample>()).ToArray())];

        WarmUp(contenders, schedule, progress);

        var clock = Stopwatch.StartNew();
        int round = 0;
        while (round < schedule.MaxRounds && (round < schedule.MinRounds || HasTimeForAnother(clock.Elapsed, round, schedule)))
        {
            for (int row = 0; row < contenders.Length; row++)
            {
                progress.Show($"round {round + 1} of {schedule.MinRounds} to {schedule.MaxRounds}", row, contenders.Length);
                RunOnce(rows[row].Name, contenders[row], samples[row], reversed: (round + row) % 2 == 1);
                Turns.Next();
            }

            round++;
        }

        progress.Clear();
        return new TableResult(round, [.. rows.Select((row, i) => Summarize(row, contenders[i], samples[i]))]);
    }

    private static bool HasTimeForAnother(TimeSpan elapsed, int rounds, Schedule schedule) =>
        elapsed + (elapsed / rounds) <= schedule.Budget;

    /// <summary>Until the compiler has nothing to do any more. Code of the framework comes compiled, ours does not, and what is timed too early
    /// compares a first with a last tier; with all processors busy the compiler's thread is slow to get to it.</summary>
    private static void WarmUp(Contender[][] contenders, Schedule schedule, Progress progress)
    {
        // The first few rows reach every method; the passes afterwards let the pools grow to their size.
        foreach (Contender contender in contenders.Take(2).SelectMany(c => c))
        {
            contender.Run();
        }

        long compiled;
        int pass = 0;
        do
        {
            Thread.Sleep(TieringPause);
            compiled = JitInfo.GetCompiledMethodCount();
            for (int row = 0; row < contenders.Length; row++)
            {
                progress.Show($"warm-up {pass + 1}", row, contenders.Length);
                foreach (Contender contender in contenders[row].Where(c => pass == 0 || !c.IsOtherProgram))
                {
                    contender.Run();
                }

                Turns.Next();
            }
        }
        while (++pass < schedule.MaxWarmUps && JitInfo.GetCompiledMethodCount() - compiled > FewMethods);

        Thread.Sleep(TieringPause);
    }

    private static void RunOnce(string row, Contender[] contenders, List<Sample>[] samples, bool reversed)
    {
        for (int i = 0; i < contenders.Length; i++)
        {
            int at = reversed ? contenders.Length - 1 - i : i;
            GC.Collect();
            GC.WaitForPendingFinalizers();
            samples[at].Add(RowCounters.Run(row, contenders[at]));
        }
    }

    private static RowResult Summarize(Row row, Contender[] contenders, List<Sample>[] samples) => new(
        row.Name,
        row.Unit,
        row.Better,
        Statistics.Median(samples[0], row.Decimals),
        row.Peers.Select((c, i) => (c.Name, Sample: Statistics.Median(samples[i + 1], row.Decimals)))
            .ToDictionary(p => p.Name, p => p.Sample),
        row.Note)
    {
        Floor = row.Floor is null ? null : Statistics.Median(samples[^1], row.Decimals),
        NoRatio = row.NoRatio,
    };
}
