namespace NativeThreading.Tables.Harness;

/// <summary>The two averages that a table uses.</summary>
internal static class Statistics
{
    public static double Median(IEnumerable<double> values)
    {
        double[] sorted = [.. values.Order()];
        int middle = sorted.Length / 2;
        return sorted.Length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
    }

    public static double? Geomean(IReadOnlyCollection<double> values) =>
        values.Count == 0 ? null : Math.Exp(values.Average(Math.Log));

    /// <summary>Each measure has its own median: the run with the median value may have had an odd CPU time.</summary>
    public static Sample Median(IReadOnlyCollection<Sample> samples, int? decimals)
    {
        double value = Median(samples.Select(s => s.Value));
        return new Sample(
            decimals is int d ? Math.Round(value, d) : value,
            MedianOrNull(samples.Select(s => s.CpuNanoseconds)),
            MedianOrNull(samples.Select(s => s.Switches)));
    }

    private static double? MedianOrNull(IEnumerable<double?> values)
    {
        double[] known = [.. values.Where(v => v.HasValue).Select(v => v!.Value)];
        return known.Length == 0 ? null : Median(known);
    }
}
