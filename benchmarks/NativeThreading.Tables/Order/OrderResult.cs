using NativeThreading.Tables.Harness;
using NativeThreading.Workloads.Order;

namespace NativeThreading.Tables.Order;

/// <summary>All runs of a row on one pool, taken together: a worst case is not a matter of medians.</summary>
internal sealed class OrderResult
{
    private readonly List<float> _late = [];
    private readonly List<Sample> _usage = [];
    private int _mostBefore;

    public void Add((Overtaking Overtaking, Sample Usage) run)
    {
        _late.AddRange(run.Overtaking.Microseconds);
        _usage.Add(run.Usage);
        _mostBefore = Math.Max(_mostBefore, run.Overtaking.MostBefore);
    }

    /// <summary>Microseconds that at most 1 % of the items exceed.</summary>
    public Sample P99
    {
        get
        {
            float[] sorted = [.. _late.Order()];
            return With(sorted[(int)Math.Ceiling(0.99 * sorted.Length) - 1]);
        }
    }

    /// <summary>Microseconds of the item that was overtaken most.</summary>
    public Sample Worst => With(_late.Max());

    /// <summary>The most later items that started before an earlier one, in one run.</summary>
    public Sample MostBefore => With(_mostBefore);

    private Sample With(double value) => Statistics.Median(_usage, null) with { Value = Math.Round(value, 1) };
}
