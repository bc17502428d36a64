using NativeThreading.Tables.Harness;

namespace NativeThreading.Tables.Scale;

/// <summary>Prints rows with a column for each number of workers.</summary>
internal static class WorkersPrinter
{
    public static void Print(IReadOnlyList<RowResult> rows)
    {
        string columns = string.Concat(rows.First(static row => row.ByWorkers.Count != 0).ByWorkers.Select(static column => $"{column.Workers,12}"));
        string[] peers = [.. rows.SelectMany(static row => row.Peers.Keys).Distinct()];
        int width = rows.Max(static row => row.Name.Length);
        Console.WriteLine(Terminal.Bold($"{"".PadRight(width)}  {"unit, workers",-13}{columns}{string.Concat(peers.Select(static peer => $"{peer,12}{"ratio",9}"))}"));
        foreach (RowResult row in rows)
        {
            double[] values = row.ByWorkers.Count == 0 ? [row.Native.Value] : [.. row.ByWorkers.Select(static column => column.Value)];
            string cells = string.Concat(values.Select(static value => $"{Numbers.Format(value),12}"));
            string others = string.Concat(row.Peers.Values.Select(peer => $"{Numbers.Format(peer.Value),12}{Ratio(peer.Value, row.Native.Value),9}"));
            Console.WriteLine($"{row.Name.PadRight(width)}  {row.Unit,-13}{cells}{others}");
        }
    }

    private static string Ratio(double simulated, double counted) => counted == 0 ? "-" : Numbers.Ratio(simulated / counted);
}
