using System.Globalization;
using NativeThreading.Tables.Harness;

namespace NativeThreading.Tables.Order;

/// <summary>Prints a line per shape: p99, worst and number, each as built-in / ours, with what was missed.</summary>
internal static class OrderPrinter
{
    private const int Width = 26;

    public static void Print(IReadOnlyList<RowResult> rows)
    {
        IGrouping<string, RowResult>[] shapes = [.. rows.GroupBy(row => row.Name[..row.Name.LastIndexOf('/')])];
        int width = shapes.Max(shape => shape.Key.Length);
        Console.WriteLine(Terminal.Bold($"{"built-in / ours".PadRight(width)}{"p99, us",Width}{"worst, us",Width}{"later ones before it",Width}  missed"));
        foreach (IGrouping<string, RowResult> shape in shapes)
        {
            string missed = string.Join(", ", shape.Where(OrderRows.IsMissed).Select(row => row.Name[(row.Name.LastIndexOf('/') + 1)..]));
            Console.WriteLine($"{shape.Key.PadRight(width)}{string.Concat(shape.Select(Cell))}  {missed}".TrimEnd());
        }

        int judged = rows.Count(row => row.Note!.StartsWith("target", StringComparison.Ordinal));
        Console.WriteLine();
        Console.WriteLine($"{judged - rows.Count(OrderRows.IsMissed)} of {judged} targets met.");
        Console.WriteLine(Terminal.Dim(OrderRows.Definition));
    }

    private static string Cell(RowResult row) => $"{Number(row.Peers[Contender.ThreadPool].Value)} / {Number(row.Native.Value)}".PadLeft(Width);

    private static string Number(double value) => value.ToString(value < 100 ? "#,0.#" : "N0", CultureInfo.InvariantCulture);
}
