using System.Globalization;
using NativeThreading.Tables.Harness;
using NativeThreading.Workloads.Order;

namespace NativeThreading.Tables.Order;

/// <summary>The three rows of a shape, each with its target.</summary>
internal static class OrderRows
{
    public const string P99 = "/p99";
    public const string Worst = "/worst";
    public const string Before = "/before";

    /// <summary>What the rows say, in one text.</summary>
    public const string Definition =
        "How long after a later item of its producer an item started, and how many later ones had; over the items of all runs together, no medians.\n"
        + "Targets: p99 at most 100 us or three items' time; worst at most the built-in pool's + 5 ms; of items of 50 us and more at most workers + 3 before it.";

    private const double PreemptionMicroseconds = 5_000;
    private const string NoRatio = "judged by a target";

    public static IEnumerable<RowResult> Of(OrderShape shape, OrderResult native, OrderResult builtIn)
    {
        yield return Row(P99, "us", native.P99, builtIn.P99, shape.Target, " us");
        yield return Row(Worst, "us", native.Worst, builtIn.Worst, builtIn.Worst.Value + PreemptionMicroseconds, " us, the built-in pool's worst + 5 ms");
        yield return Row(Before, "items", native.MostBefore, builtIn.MostBefore, shape.TargetBefore, " later items");

        RowResult Row(string measure, string unit, Sample ours, Sample peer, double? target, string of) => new(
            shape.Name + measure, unit, Better.Lower, ours, peer,
            target is double most
                ? string.Create(CultureInfo.InvariantCulture, $"target at most {most:0.#}{of}: {(ours.Value <= most ? "met" : "missed")}")
                : "no target for items so short")
        {
            NoRatio = NoRatio,
        };
    }

    /// <summary>Whether a row's note says that its target was missed.</summary>
    public static bool IsMissed(RowResult row) => row.Note!.EndsWith("missed", StringComparison.Ordinal);
}
