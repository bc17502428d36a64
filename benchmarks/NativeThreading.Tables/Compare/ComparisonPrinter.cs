using NativeThreading.Tables.Harness;

namespace NativeThreading.Tables.Compare;

/// <summary>Prints ratios: above 1 the new commit is better, whichever direction of a row's value is the good one.</summary>
internal static class ComparisonPrinter
{
    private const int NumberWidth = 12;
    private const int EstimateWidth = 26;

    public static void Print(IReadOnlyList<TableComparison> comparisons, bool rows)
    {
        if (rows)
        {
            foreach (TableComparison comparison in comparisons)
            {
                PrintRows(comparison);
            }
        }

        int width = Math.Max("table".Length, comparisons.Max(c => c.Table.Length));
        Console.WriteLine(Terminal.Bold(
            $"{"table".PadRight(width)}{"rows",6}{"rounds",8}{"new over old",EstimateWidth}{"peers",EstimateWidth}{"ours beside peers",EstimateWidth}  verdict"));
        foreach (TableComparison comparison in comparisons)
        {
            string whole = comparison.Whole?.ToString() ?? "-";
            string peers = comparison.Peers?.ToString() ?? "-";
            string beside = comparison.BesidePeers?.ToString() ?? "-";
            Console.WriteLine(
                $"{comparison.Table.PadRight(width)}{comparison.Compared.Count,6}{comparison.Rounds,8}{whole,EstimateWidth}{peers,EstimateWidth}{beside,EstimateWidth}"
                + $"  {comparison.Verdict}");
        }

        Console.WriteLine(Terminal.Dim(
            "Above 1: the new commit is better. A geometric mean over the rows, with the 90 % bound over the rounds. The peers' code is the same\n"
            + "on both sides: how far they are from 1 is what the machine did, and the next column is ours without it."));
        foreach (TableComparison comparison in comparisons)
        {
            PrintLeftOut(comparison);
        }
    }

    private static void PrintRows(TableComparison comparison)
    {
        int width = comparison.Common.Max(name => name.Length);
        Console.WriteLine(Terminal.Bold($"{comparison.Table.PadRight(width)}{"old",NumberWidth}{"new",NumberWidth}{"new over old",EstimateWidth}"));
        foreach (string name in comparison.Common)
        {
            Estimate? estimate = comparison.Row(name);
            string verdict = estimate is { Verdict: "better" or "worse" } e ? $"  {e.Verdict}" : "";
            Console.WriteLine(
                $"{name.PadRight(width)}{Numbers.Format(comparison.Old(name)),NumberWidth}{Numbers.Format(comparison.New(name)),NumberWidth}"
                + $"{estimate?.ToString() ?? "-",EstimateWidth}{verdict}");
        }

        Console.WriteLine();
    }

    private static void PrintLeftOut(TableComparison comparison)
    {
        foreach (string name in comparison.WithZeros)
        {
            Console.WriteLine(
                $"{comparison.Table}: no ratio for {name}: {Numbers.Format(comparison.Old(name))} before, {Numbers.Format(comparison.New(name))} now.");
        }

        if (comparison.OnOneSide.Count != 0)
        {
            Console.WriteLine($"{comparison.Table}: left out, because one commit lacks them: {string.Join(", ", comparison.OnOneSide)}.");
        }
    }
}
