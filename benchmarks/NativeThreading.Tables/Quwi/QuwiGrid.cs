using NativeThreading.Tables.Harness;

namespace NativeThreading.Tables.Quwi;

/// <summary>Prints one queue's cells as a grid of depth by parallelism: built-in, ours, ratio.</summary>
internal static class QuwiGrid
{
    private const int CellWidth = 24;

    public static void Print(string title, string queue, IReadOnlyList<RowResult> rows, string? note)
    {
        Dictionary<string, RowResult> cells = rows.ToDictionary(r => r.Name);
        bool full = cells.ContainsKey(QuwiShapes.Name(queue, depth: 4, degree: 4));
        int[] degrees = QuwiShapes.Degrees(full);

        Console.WriteLine();
        Console.WriteLine(Terminal.Bold($"{title}: million items a second, built-in / ours / ratio"));
        Console.WriteLine($"{"depth",6}{string.Concat(degrees.Select(d => $"{(d == 1 ? "serial" : $"{d}x"),CellWidth}"))}");
        foreach (int depth in QuwiShapes.Depths(full))
        {
            Console.WriteLine($"{depth,6}{string.Concat(degrees.Select(d => Cell(cells[QuwiShapes.Name(queue, depth, d)])))}");
        }

        var table = new TableResult(0, [.. rows.Where(r => r.Name.StartsWith(queue + "/", StringComparison.Ordinal))]);
        Console.WriteLine($"geometric mean {Numbers.Ratio(table.Geomean)}, worst {Numbers.Ratio(table.Worst)}");
        if (note is not null)
        {
            Console.WriteLine(Terminal.Dim(note));
        }
    }

    private static string Cell(RowResult row)
    {
        string text = $"{row.Peers[Contender.ThreadPool].Value:F2} / {row.Native.Value:F2}";
        return text.PadLeft(CellWidth - 8) + Terminal.Judge(row.Advantage, Numbers.Ratio(row.Advantage).PadLeft(8));
    }
}
