using System.Diagnostics;
using NativeThreading.Tables.Harness;
using NativeThreading.Workloads.Http;

namespace NativeThreading.Tables.Crowded;

/// <summary>One side of a crowded row.</summary>
/// <param name="Name">The name of the contender.</param>
/// <param name="Round">Does one round of the work, checks that it was done, and returns how many operations it was.</param>
internal sealed record CrowdedSide(string Name, Func<long> Round);

/// <summary>A row before it is measured: both sides do the same rounds.</summary>
/// <param name="Name">Permanent, without the scene.</param>
/// <param name="Native">This library's side.</param>
/// <param name="Peer">The built-in pool's side.</param>
internal sealed record CrowdedRow(string Name, CrowdedSide Native, CrowdedSide Peer)
{
    /// <summary>Whether an operation is what a user waits for, so that its time and p99 matter; otherwise the rate is what counts.</summary>
    public bool IsLatency { get; init; }

    public string? Note { get; init; }
}

/// <summary>Runs both sides of each row by turns, in slices of time. A slice of counts would last a hundred times as long on the side whose threads
/// wait for a time slice of the kernel in each round, and the whole table with it. Values are means over all slices, not medians: what a busy machine
/// costs comes in few and long delays, which a median would leave out.</summary>
internal static class Slices
{
    /// <summary>For a process that measures: the runtime optimizes a method after so many calls, and does not first wait for a tenth of a second in
    /// which no new method starts. On one processor that moment comes so late that after the warm-up 42 % of the methods of a run
    /// were compiled, with this setting 95 %. The framework's own code is compiled ahead.</summary>
    public static readonly (string, string) OptimizesEarly = ("DOTNET_TC_CallCountingDelayMs", "0");

    public static List<RowResult> Measure(IReadOnlyList<CrowdedRow> rows, TimeSpan slice, int turns, bool oursAlone, Progress progress)
    {
        var ours = rows.Select(static _ => new SliceTotal()).ToArray();
        var peers = rows.Select(static _ => new SliceTotal()).ToArray();
        for (int turn = -2; turn < turns; turn++) // two turns let the compiler and the pools settle
        {
            for (int i = 0; i < rows.Count; i++)
            {
                progress.Show(turn < 0 ? "warm-up" : $"turn {turn + 1} of {turns}", i, rows.Count);
                CrowdedRow row = rows[i];
                for (int side = 0; side < 2; side++)
                {
                    bool isNative = ((turn + i + side) & 1) == 0;
                    if (isNative || !oursAlone)
                    {
                        SliceTotal total = turn < 0 ? new SliceTotal() : isNative ? ours[i] : peers[i];
                        total.Add(isNative ? row.Native.Round : row.Peer.Round, slice);
                    }
                }
            }
        }

        return [.. rows.SelectMany((row, i) => Results(row, ours[i], oursAlone ? null : peers[i]))];
    }

    private static IEnumerable<RowResult> Results(CrowdedRow row, SliceTotal ours, SliceTotal? peer)
    {
        RowResult Of(string suffix, string unit, Better better, Func<SliceTotal, double> value) => new(
            row.Name + suffix, unit, better, ours.Sample(value(ours)),
            peer is null ? new() : new Dictionary<string, Sample> { [row.Peer.Name] = peer.Sample(value(peer)) }, row.Note);

        if (!row.IsLatency)
        {
            yield return Of("", "M items/s", Better.Higher, static total => total.Operations / total.Elapsed.TotalMicroseconds);
            yield break;
        }

        yield return Of("/mean", "us", Better.Lower, static total => total.Elapsed.TotalMicroseconds / total.Operations);
        yield return Of("/p99", "us", Better.Lower, static total => total.P99);
        yield return Of("/cpu", "us CPU", Better.Lower, static total => total.CpuNanoseconds / total.Operations / 1000);
    }
}

/// <summary>What one side did in all its slices.</summary>
internal sealed class SliceTotal
{
    private readonly List<double> _rounds = []; // microseconds
    private double _switches;

    public long Operations { get; private set; }

    public TimeSpan Elapsed { get; private set; }

    public double CpuNanoseconds { get; private set; }

    public double P99 => new Percentiles(_rounds).At(0.99);

    public void Add(Func<long> round, TimeSpan slice)
    {
        GC.Collect();
        GC.WaitForPendingFinalizers();
        Meter meter = Meter.Start();
        long began = Stopwatch.GetTimestamp();
        long last = began;
        do
        {
            Operations += round();
            long now = Stopwatch.GetTimestamp();
            _rounds.Add(Stopwatch.GetElapsedTime(last, now).TotalMicroseconds);
            last = now;
        }
        while (Stopwatch.GetElapsedTime(began, last) < slice);

        Reading reading = meter.Stop();
        Elapsed += reading.Elapsed;
        CpuNanoseconds += reading.CpuNanoseconds ?? double.NaN;
        _switches += reading.Switches ?? double.NaN;
    }

    public Sample Sample(double value) => new(value, Known(CpuNanoseconds), Known(_switches));

    private double? Known(double sum) => double.IsNaN(sum) ? null : sum / Operations;
}
