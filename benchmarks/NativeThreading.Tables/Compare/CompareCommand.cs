using System.CommandLine;
using NativeThreading.Tables.Harness;

namespace NativeThreading.Tables.Compare;

/// <summary>The last step of <c>benchmarks/compare</c>: reads what the two commits wrote into a directory, as <c>TABLE.ROUND.old.json</c> and
/// <c>TABLE.ROUND.new.json</c>, and prints a ratio per table with its bound.</summary>
internal static class CompareCommand
{
    public static Command Create()
    {
        var directory = new Argument<DirectoryInfo>("directory") { Description = "Where the results are." };
        var tables = new Argument<string[]>("tables") { Description = "The tables, in the order of printing." };
        var rows = new Option<bool>("--rows") { Description = "Each row, too." };
        var command = new Command("compare-results", "Ratios of two commits, from the results that benchmarks/compare has collected.")
        {
            directory, tables, rows,
        };
        command.SetAction(arguments =>
        {
            try
            {
                TableComparison[] comparisons =
                    [.. arguments.GetValue(tables)!.Select(table => Read(arguments.GetValue(directory)!.FullName, table))];
                ComparisonPrinter.Print(comparisons, arguments.GetValue(rows));
                return 0;
            }
            catch (Exception e) when (e is MeasurementException or IOException)
            {
                Console.Error.WriteLine($"compare-results: {e.Message}");
                return 1;
            }
        });
        return command;
    }

    private static TableComparison Read(string directory, string table)
    {
        var rounds = new List<(TableResult, TableResult)>();
        for (int round = 1; File.Exists(Name(round, "old")) && File.Exists(Name(round, "new")); round++)
        {
            rounds.Add((JsonReader.Read(Name(round, "old")), JsonReader.Read(Name(round, "new"))));
        }

        return new TableComparison(table, rounds);

        string Name(int round, string side) => Path.Combine(directory, $"{table}.{round}.{side}.json");
    }
}
