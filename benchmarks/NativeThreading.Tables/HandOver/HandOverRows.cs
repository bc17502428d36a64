using System.Globalization;
using NativeThreading.Tables.Harness;

namespace NativeThreading.Tables.HandOver;

/// <summary>The rows of one way to block. No other library does the same, so there is a target and no ratio.</summary>
internal static class HandOverRows
{
    public static IEnumerable<RowResult> Of(BlockingWay way, List<double> milliseconds)
    {
        double[] sorted = [.. milliseconds.Order()];
        double median = Statistics.Median(sorted);
        double target = HandOverTable.Target.TotalMilliseconds;
        yield return Row("p50", median, string.Create(
            CultureInfo.InvariantCulture, $"target at most {target:0} ms: {(median <= target ? "met" : "missed")}"));
        yield return Row("p99", sorted[sorted.Length * 99 / 100], "no target: for information");

        RowResult Row(string measure, double value, string note) =>
            new($"handover/{way.Name}/{measure}", "ms", Better.Lower, new Sample(value, null, null), builtIn: null, note) { NoRatio = "judged by a target" };
    }
}
