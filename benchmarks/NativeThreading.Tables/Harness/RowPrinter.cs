namespace NativeThreading.Tables.Harness;

/// <summary>Prints rows one under the other: the values, and CPU time and context switches per operation.</summary>
internal static class RowPrinter
{
    public static void Print(IReadOnlyList<RowResult> rows)
    {
        int width = rows.Max(r => r.Name.Length);
        string[] peers = [.. rows.SelectMany(r => r.Peers.Keys).Distinct()];
        bool floors = rows.Any(r => r.Floor is not null);
        string cpu = $"CPU ns {string.Join('/', peers)}/ours";
        int cpuWidth = Math.Max(28, 3 + Math.Max(cpu.Length, rows.Max(r => Beside(r, s => s.CpuNanoseconds).Length)));

        Console.WriteLine(Terminal.Bold(
            $"{"".PadRight(width)}  {"unit",-16}{(floors ? $"{Contender.Floor,12}" : "")}{string.Concat(peers.Select(p => $"{p,12}"))}" +
            $"{"ours",12}{"ratio",9}{cpu.PadLeft(cpuWidth)}{"switches",20}"));
        foreach (RowResult row in rows)
        {
            string floor = floors ? $"{Numbers.Format(row.Floor?.Value),12}" : "";
            string values = string.Concat(peers.Select(p =>
                $"{(row.Peers.TryGetValue(p, out Sample peer) ? Numbers.Format(peer.Value) : "-"),12}"));
            Console.WriteLine(
                $"{row.Name.PadRight(width)}  {row.Unit,-16}{floor}{values}{Numbers.Format(row.Native.Value),12}" +
                $"{Terminal.Judge(row.Advantage, Numbers.Ratio(row.Advantage).PadLeft(9))}" +
                $"{Beside(row, s => s.CpuNanoseconds).PadLeft(cpuWidth)}{Beside(row, s => s.Switches),20}");
        }

        PrintNotes(rows);
    }

    private static string Beside(RowResult row, Func<Sample, double?> measure) =>
        string.Join(" / ", row.Peers.Values.Append(row.Native).Select(s => Numbers.Format(measure(s))));

    private static void PrintNotes(IReadOnlyList<RowResult> rows)
    {
        foreach (IGrouping<string?, RowResult> note in rows.Where(r => r.Note is not null).GroupBy(r => r.Note))
        {
            string about = note.Count() == rows.Count ? "" : string.Join(", ", note.Select(r => r.Name)) + ": ";
            Console.WriteLine(Terminal.Dim(about + note.Key));
        }
    }
}
