using NativeThreading.Tables.Harness;
using NativeThreading.Tables.Processes;

namespace NativeThreading.Tables.Quwi;

/// <summary>The table under the workstation collector and under the server one: how a process collects is settled when it starts, so each is a
/// process of its own, in which NativeThreading and the built-in pool take turns as usual.</summary>
internal static class QuwiCollectors
{
    public const string Workstation = "workstation";
    public const string Server = "server";
    public const string Both = "both";

    private const string Prefix = "gc=";

    public static TableResult Measure(string collectors, RunOptions options, string[] arguments)
    {
        string[] command =
        [
            "quwi",
            .. options.Quick ? (string[])["--quick"] : [],
            .. options.Full ? (string[])["--full"] : [],
            .. arguments,
        ];
        var rows = new List<RowResult>();
        int runs = int.MaxValue;
        foreach (string collector in collectors == Both ? (string[])[Workstation, Server] : [collectors])
        {
            Console.Error.WriteLine($"quwi: under the {collector} collector");
            TableResult result = TableProcess.Run(command, ("DOTNET_gcServer", collector == Server ? "1" : "0"));
            rows.AddRange(result.Rows.Select(row => row with { Name = $"{Prefix}{collector}/{row.Name}" }));
            runs = Math.Min(runs, result.Runs);
        }

        return new TableResult(runs, rows);
    }

    public static bool Has(TableResult result) => result.Rows[0].Name.StartsWith(Prefix, StringComparison.Ordinal);

    /// <summary>A line per cell, and the means of each queue under each collector.</summary>
    public static void Print(TableResult result)
    {
        string[] collectors = [.. result.Rows.Select(static row => CollectorOf(row)).Distinct()];
        Dictionary<string, RowResult> cells = result.Rows.ToDictionary(static row => row.Name);
        string[] names = [.. result.Rows.Select(static row => CellOf(row)).Distinct()];
        int width = names.Max(static name => name.Length);

        Console.WriteLine();
        Console.WriteLine(Terminal.Bold("Million items a second, built-in / ours / ratio, by collector"));
        Console.WriteLine("".PadRight(width) + string.Concat(collectors.Select(static c => $"{c,28}")));
        foreach (string name in names)
        {
            Console.WriteLine(name.PadRight(width) + string.Concat(collectors.Select(c => Cell(cells[$"{Prefix}{c}/{name}"]))));
        }

        foreach (IGrouping<string, RowResult> queue in result.Rows.GroupBy(static row => row.Name[..row.Name.IndexOf("/depth", StringComparison.Ordinal)]))
        {
            var table = new TableResult(result.Runs, [.. queue]);
            Console.WriteLine($"{queue.Key}: geometric mean {Numbers.Ratio(table.Geomean)}, worst {Numbers.Ratio(table.Worst)}");
        }
    }

    private static string CollectorOf(RowResult row) => row.Name[Prefix.Length..row.Name.IndexOf('/', StringComparison.Ordinal)];

    private static string CellOf(RowResult row) => row.Name[(row.Name.IndexOf('/', StringComparison.Ordinal) + 1)..];

    private static string Cell(RowResult row) =>
        $"{row.Peers[Contender.ThreadPool].Value:F2} / {row.Native.Value:F2}".PadLeft(20) + Terminal.Judge(row.Advantage, Numbers.Ratio(row.Advantage).PadLeft(8));
}
