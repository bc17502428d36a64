using System.Globalization;
using NativeThreading.Tables.Harness;

namespace NativeThreading.Tables.Isolation;

/// <summary>The rows of one kind of blocking, from its runs with isolation and without.</summary>
internal sealed class IsolationRows(string kind, IReadOnlyList<Hammering> isolated, IReadOnlyList<Hammering> builtIn)
{
    private const double Target = 2;

    public IEnumerable<RowResult> Results(string setting)
    {
        yield return Latency("unloaded/p50", h => h.Unloaded.P50Milliseconds, setting) with { NoRatio = Control };
        yield return Latency("unloaded/p99", h => h.Unloaded.P99Milliseconds, setting) with { NoRatio = Control };
        yield return Latency("fast/p50", h => h.Fast.P50Milliseconds, setting);
        yield return Latency("fast/p99", h => h.Fast.P99Milliseconds, $"{Verdict()}; {setting}");

        RowResult total = Row("throughput", "answers/s", Better.Higher, h => Math.Round(h.TotalThroughput), null) with
        {
            Note = $"both endpoints together; of these slow: {Median(isolated, SlowThroughput):0} isolated, {Median(builtIn, SlowThroughput):0} not; "
                + string.Create(CultureInfo.InvariantCulture, $"CPUs used by the server: {Median(isolated, h => h.CpusUsed):0.00} and {Median(builtIn, h => h.CpusUsed):0.00}"),
        };
        yield return total;
        if (total.ByCpuTime(Name("cpu")) is RowResult cpu)
        {
            yield return cpu with { Note = "CPU time of the server per answer; a server that mostly waits has few to share its fixed cost" };
        }
    }

    private const string Control = "a control: alone, the fast endpoint runs on the built-in pool on both sides";

    private string Name(string measure) => $"isolation/{kind}/{measure}";

    private RowResult Latency(string measure, Func<Hammering, double> value, string note) => Row(measure, "ms", Better.Lower, value, note);

    private RowResult Row(string measure, string unit, Better better, Func<Hammering, double> value, string? note) => new(
        Name(measure), unit, better, Summary(isolated, value), Summary(builtIn, value), note);

    private string Verdict()
    {
        double ratio = Ratio(isolated);
        return string.Create(CultureInfo.InvariantCulture,
            $"{ratio:0.0} x its unloaded p99 (target at most {Target}: {(ratio <= Target ? "met" : "missed")}), without isolation {Ratio(builtIn):N0} x");
    }

    private static double Ratio(IReadOnlyList<Hammering> runs) => Median(runs, h => h.Fast.P99Milliseconds) / Median(runs, h => h.Unloaded.P99Milliseconds);

    private static double SlowThroughput(Hammering run) => run.Slow.Answers / run.Slow.Seconds;

    private static double Median(IReadOnlyList<Hammering> runs, Func<Hammering, double> value) => Statistics.Median(runs.Select(value));

    private static Sample Summary(IReadOnlyList<Hammering> runs, Func<Hammering, double> value) =>
        Statistics.Median([.. runs.Select(run => new Sample(value(run), run.CpuNanosecondsPerAnswer, null))], decimals: null);
}
