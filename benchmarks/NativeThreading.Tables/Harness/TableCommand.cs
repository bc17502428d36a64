using System.CommandLine;

namespace NativeThreading.Tables.Harness;

/// <summary>Makes the command line of a set of tables: one subcommand each, with the shared options.</summary>
internal static class TableCommand
{
    private static readonly Option<bool> s_quick = new("--quick") { Description = "Fewer runs, the same rows." };
    private static readonly Option<bool> s_full = new("--full") { Description = "More rows." };
    private static readonly Option<string?> s_json = new("--json") { Description = "Also write the result to this file.", HelpName = "FILE" };

    public static RootCommand Root(IEnumerable<Table> tables)
    {
        s_json.Validators.Add(result =>
        {
            // Before minutes of measuring, not after.
            if (result.GetValueOrDefault<string?>() is string path && WhyNotWritable(path) is string reason)
            {
                result.AddError($"--json: {reason}");
            }
        });

        var root = new RootCommand("Side-by-side tables of NativeThreading and its peers, measured in one run.");
        foreach (Table table in tables)
        {
            var command = new Command(table.Name, table.Description) { s_quick, s_full, s_json };
            foreach (Option option in table.Options)
            {
                command.Add(option);
            }

            command.SetAction(arguments => Run(table, arguments));
            root.Add(command);
        }

        return root;
    }

    private static int Run(Table table, ParseResult arguments)
    {
        var options = new RunOptions(arguments.GetValue(s_quick), arguments.GetValue(s_full), arguments.GetValue(s_json));
        Machine machine = Machine.Describe();
        machine.Print();

        TableResult result = new(0, []);
        if (Environment.ProcessorCount < table.RequiredProcessors)
        {
            Console.WriteLine($"Skipped: {table.Name} needs {table.RequiredProcessors} processors.");
        }
        else
        {
            var progress = new Progress(table.Name);
            try
            {
                result = table.Measure(options, arguments, progress);
            }
            catch (MeasurementException e)
            {
                progress.Clear();
                Console.Error.WriteLine($"{table.Name}: {e.Message}");
                return 1;
            }

            table.Print(result);
            PrintSummary(result);
        }

        if (options.JsonPath is not null)
        {
            JsonReport.Write(options.JsonPath, string.Join(' ', arguments.Tokens.Select(t => t.Value)), machine, result);
        }

        return 0;
    }

    private static string? WhyNotWritable(string path)
    {
        if (path.Length == 0 || Directory.Exists(path))
        {
            return $"'{path}' is not the name of a file.";
        }

        string? directory = Path.GetDirectoryName(Path.GetFullPath(path));
        return Directory.Exists(directory) ? null : $"the directory {directory} does not exist.";
    }

    private static void PrintSummary(TableResult result)
    {
        Console.WriteLine();
        Console.Write($"{result.Rows.Count} rows, median of {result.Runs} runs");
        RowResult? worst = result.Rows.Where(r => r.Advantage.HasValue).MinBy(r => r.Advantage);
        Console.WriteLine(worst is null ? "." :
            $"; geometric mean {Numbers.Ratio(result.Geomean)}, worst {Numbers.Ratio(result.Worst)} ({worst.Name}).");
    }
}
