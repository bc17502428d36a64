using NativeThreading.SoakProgram.Watch;
using NativeThreading.Tables.Harness;

namespace NativeThreading.SoakProgram;

/// <summary>What a soak has done and found.</summary>
internal sealed record SoakReport(
    ulong Seed,
    double Minutes,
    double Slow,
    bool IsChaos,
    string Commit,
    Machine Machine,
    bool Passed,
    string[] Errors,
    int ErrorCount,
    long Pools,
    long Loops,
    int Stops,
    double StoppedSeconds,
    double CpuSeconds,
    Resources Base,
    Resources Last,
    Resources Peak,
    IReadOnlyList<PhaseTime> Times,
    IReadOnlyDictionary<string, long> Counts)
{
    /// <summary>What a run of 30 minutes shuts down at least, on two processors.</summary>
    private const int PoolsInHalfAnHour = 200_000;
    private const int LoopsInHalfAnHour = 20_000;

    public static SoakReport Of(SoakRun soak, Conductor conductor, Machine machine, int stops) => new(
        soak.Options.Seed,
        conductor.Elapsed.TotalMinutes,
        soak.Options.Slow,
        BuildFacts.IsChaos,
        BuildFacts.Commit,
        machine,
        !soak.Verdict.HasFailed,
        soak.Verdict.Errors,
        soak.Verdict.Count,
        soak.Tally["pools"],
        soak.Tally["loops"],
        stops,
        soak.Clock.Stopped.TotalSeconds,
        Environment.CpuUsage.TotalTime.TotalSeconds,
        conductor.Bounds.Base,
        conductor.Bounds.Last,
        conductor.Bounds.Peak,
        soak.Times.All,
        new SortedDictionary<string, long>(soak.Tally.All.ToDictionary(), StringComparer.Ordinal));

    /// <summary>Pools that so many minutes shut down at this rate.</summary>
    public double PoolsIn30Minutes => Pools * 30 / Minutes;

    /// <summary>And loops.</summary>
    public double LoopsIn30Minutes => Loops * 30 / Minutes;

    public void Print(TextWriter output)
    {
        output.WriteLine();
        foreach ((string name, long count) in Counts)
        {
            output.WriteLine($"{name,-40} {count,12:N0}");
        }

        output.WriteLine();
        output.WriteLine($"{"phase",-40} {"times",10} {"p50 ms",10} {"p99 ms",10} {"worst ms",10}");
        foreach (PhaseTime time in Times)
        {
            output.WriteLine($"{time.Name,-40} {time.Count,10:N0} {time.Median.TotalMilliseconds,10:N2} {time.P99.TotalMilliseconds,10:N1} {time.Worst.TotalMilliseconds,10:N1}");
        }

        output.WriteLine();
        output.WriteLine($"stopped as a whole {Stops} times, {StoppedSeconds:0.0} s in all, which no time includes");
        output.WriteLine($"{CpuSeconds:0} s of CPU time, {CpuSeconds / (Minutes * 60):0.00} processors of {Machine.LogicalCpus}");
        output.WriteLine($"first rest: {Base}");
        output.WriteLine($"last rest:  {Last}");
        output.WriteLine($"peak:       {Peak}");
        output.WriteLine($"in 30 minutes {PoolsIn30Minutes:N0} pools ({PoolsInHalfAnHour:N0} wanted) and {LoopsIn30Minutes:N0} loops ({LoopsInHalfAnHour:N0} wanted) are shut down at this rate");
        foreach (string error in Errors)
        {
            output.WriteLine($"ERROR {error}");
        }

        output.WriteLine($"seed {Seed}, commit {Commit}{(IsChaos ? ", chaos" : "")}, {Minutes:0.0} minutes: {Pools:N0} pools and {Loops:N0} loops shut down, "
            + (Passed ? "0 lost, 0 doubled, 0 hangs" : $"{ErrorCount} errors"));
    }
}
