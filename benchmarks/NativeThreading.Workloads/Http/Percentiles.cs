namespace NativeThreading.Workloads.Http;

/// <summary>Percentiles of values that were all kept. Of none, every percentile is 0.</summary>
internal sealed class Percentiles(IEnumerable<double> values)
{
    private readonly double[] _sorted = [.. values.Order()];

    public int Count => _sorted.Length;

    /// <summary>The value that this share of all values lies below.</summary>
    /// <param name="share">From 0 to 1.</param>
    public double At(double share) => _sorted.Length == 0 ? 0 : _sorted[(int)Math.Min(_sorted.Length * share, _sorted.Length - 1)];
}
