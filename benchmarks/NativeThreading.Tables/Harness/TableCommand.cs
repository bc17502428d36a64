using System.CommandLine;

namespace NativeThreading.Tables.Harness;

/// <summary>Makes the command line of a set of tables: one subcommand each, with the shared options.</summary>
internal static class TableCommand
{
    private static readonly Option<bool> s_quick = new("--quick") { Description = "Fewer runs, the same rows." };
    private static readonly Option<bool> s_full = new("--full") { Description = "More rows." };
    private static readonly Option<bool> s_ours = new("--ours-alone") { Description = "Without peers, and without the table: only what --json writes.", Hidden = true };
    private static readonly Option<bool> s_counters = new("--counters") { Description = "Also what the library counted in each round of a row. Needs -p:Counters=true." };
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

        Table[] all = [.. tables];
        var root = new RootCommand("Side-by-side tables of NativeThreading and its peers, measured in one run.");
        foreach (Table table in all)
        {
            var command = new Command(table.Name, table.Description) { s_quick, s_full, s_ours, s_counters, s_json };
            foreach (Option option in table.Options)
            {
                command.Add(option);
            }

            command.SetAction(arguments => RunOne(table, arguments));
            root.Add(command);
        }

        var everything = new Command("all", "Every table, one after the other: about 20 minutes (--quick: 5).") { s_quick, s_json };
        everything.SetAction(arguments => RunAll(root, all, arguments));
        root.Add(everything);
        return root;
    }

    private static int RunOne(Table table, ParseResult arguments)
    {
        MeasuredTable measured = Run(table, CommandLine(arguments), arguments);
        if (measured.Error is null && arguments.GetValue(s_json) is string path)
        {
            JsonReport.Write(path, measured);
        }

        return measured.Error is null ? 0 : 1;
    }

    /// <summary>Each table as its own command with its own defaults. One that cannot be measured does not keep the others
    /// from it, and what is measured is written at once.</summary>
    private static int RunAll(RootCommand root, IEnumerable<Table> tables, ParseResult arguments)
    {
        var measured = new List<MeasuredTable>();
        foreach (Table table in tables.Where(static table => table.IsInAll))
        {
            string[] command = arguments.GetValue(s_quick) ? [table.Name, "--quick"] : [table.Name];
            Console.WriteLine($"{(measured.Count == 0 ? "" : Environment.NewLine)}{Terminal.Bold(table.Name)}: {table.Description}");
            measured.Add(Run(table, string.Join(' ', command), root.Parse(command)));
            if (arguments.GetValue(s_json) is string path)
            {
                JsonReport.WriteAll(path, CommandLine(arguments), measured);
            }
        }

        return measured.Exists(static m => m.Error is not null) ? 1 : 0;
    }

    /// <summary>What was measured; where the result goes is no part of it, and names a path of one machine.</summary>
    private static string CommandLine(ParseResult arguments)
    {
        string? path = arguments.GetValue(s_json);
        return string.Join(' ', arguments.Tokens.Select(static t => t.Value).Where(value => value != s_json.Name && value != path));
    }

    private static MeasuredTable Run(Table table, string command, ParseResult arguments)
    {
        var options = new RunOptions(arguments.GetValue(s_quick), arguments.GetValue(s_full), arguments.GetValue(s_ours), arguments.GetValue(s_json));
        Turns.Begin();
        Machine machine = Machine.Describe();
        machine.Print();

        if (Environment.ProcessorCount < table.RequiredProcessors)
        {
            Console.WriteLine($"Skipped: {table.Name} needs {table.RequiredProcessors} processors.");
            return new MeasuredTable(command, machine, new TableResult(0, []));
        }

        var progress = new Progress(table.Name);
        try
        {
            RowCounters.Begin(arguments.GetValue(s_counters));
            TableResult result = table.Measure(options, arguments, progress);
            if (!options.OursAlone) // the tables name peers
            {
                table.Print(result);
                PrintSummary(result);
                RowCounters.Print();
            }

            return new MeasuredTable(command, machine, result);
        }
        catch (MeasurementException e)
        {
            progress.Clear();
            Console.Error.WriteLine($"{table.Name}: {e.Message}");
            return new MeasuredTable(command, machine, new TableResult(0, []), e.Message);
        }
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
