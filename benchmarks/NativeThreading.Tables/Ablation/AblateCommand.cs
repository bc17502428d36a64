using System.CommandLine;
using System.CommandLine.Parsing;
using System.Reflection;
using NativeThreading.Tables.Harness;
using NativeThreading.Tuning;

namespace NativeThreading.Tables.Ablation;

/// <summary>
/// <c>-- ablate</c>: runs tables with each mechanism of the library left out, one at a time, beside the whole library, and prints what each
/// mechanism buys. Only in a build whose mechanisms can be left out.
/// </summary>
internal static class AblateCommand
{
    private static readonly string[] s_mechanisms =
        [.. typeof(Mechanisms).GetFields(BindingFlags.Public | BindingFlags.Static).Select(static field => field.Name)];

    private static readonly bool s_canLeaveOut = !typeof(Mechanisms).GetField(s_mechanisms[0])!.IsLiteral;

    public static Command Create(Table[] tables)
    {
        var names = new Argument<string[]>("tables") { Description = "The tables to run.", Arity = ArgumentArity.OneOrMore };
        var mechanisms = new Option<string[]>("--off")
        {
            Description = "Only these mechanisms, in place of all.",
            HelpName = "MECHANISM",
            AllowMultipleArgumentsPerToken = true,
        };
        var rounds = new Option<int>("--rounds") { Description = "Rounds; a bound needs at least 2.", DefaultValueFactory = static _ => 6 };
        var normal = new Option<bool>("--normal") { Description = "The tables' usual length, in place of --quick." };
        var with = new Option<string>("--with") { Description = "Options of the tables, in one text.", HelpName = "OPTIONS", DefaultValueFactory = static _ => "" };
        var rows = new Option<bool>("--all-rows") { Description = "Print each row, in place of those with a difference." };
        var json = new Option<string?>("--json") { Description = "Also write the result to this file, after each round.", HelpName = "FILE" };
        names.AcceptOnlyFromAmong([.. tables.Select(static table => table.Name)]);
        mechanisms.AcceptOnlyFromAmong(s_mechanisms);
        var command = new Command("ablate", "Tables with each mechanism of the library left out, one at a time: what does it buy? Needs -p:Ablation=true.")
        {
            names, mechanisms, rounds, normal, with, rows, json,
        };
        command.SetAction(arguments =>
        {
            if (!s_canLeaveOut)
            {
                Console.Error.WriteLine("ablate: this build has no mechanism that can be left out. dotnet run -c Release -p:Ablation=true --project benchmarks/NativeThreading.Tables -- ablate ...");
                return 1;
            }

            var plan = new AblationPlan(
                arguments.GetValue(names)!,
                arguments.GetValue(mechanisms) is { Length: > 0 } chosen ? chosen : s_mechanisms,
                Math.Max(arguments.GetValue(rounds), 1),
                ["--ours-alone", .. arguments.GetValue(normal) ? (string[])[] : ["--quick"], .. CommandLineParser.SplitCommandLine(arguments.GetValue(with)!)]);
            try
            {
                Machine machine = Machine.Describe();
                machine.Print();
                IReadOnlyList<AblatedTable> results = plan.Run(measured => Write(arguments.GetValue(json), plan, machine, measured));
                AblationPrinter.Print(results, arguments.GetValue(rows));
                return 0;
            }
            catch (Exception e) when (e is MeasurementException or IOException)
            {
                Console.Error.WriteLine($"ablate: {e.Message}");
                return 1;
            }
        });
        return command;
    }

    private static void Write(string? path, AblationPlan plan, Machine machine, IReadOnlyList<AblatedTable> results)
    {
        if (path is not null)
        {
            AblationReport.Write(path, plan, machine, results);
        }
    }
}
