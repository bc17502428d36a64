using System.CommandLine;
using System.Text.Json;
using NativeThreading.SoakProgram.Watch;
using NativeThreading.Tables.Harness;

namespace NativeThreading.SoakProgram;

/// <summary>Everything there is, in a random mixture, for as long as is asked for.</summary>
internal static class SoakCommand
{
    /// <summary>What deadlines are multiplied by in a build that yields and sleeps on purpose.</summary>
    private const double ChaosSlowness = 10;

    private static readonly JsonSerializerOptions s_json = new()
    {
        WriteIndented = true,
        PropertyNamingPolicy = JsonNamingPolicy.CamelCase,
        Encoder = System.Text.Encodings.Web.JavaScriptEncoder.UnsafeRelaxedJsonEscaping,
    };

    public static RootCommand Create()
    {
        var minutes = new Option<double>("--minutes") { Description = "How long.", HelpName = "N", DefaultValueFactory = static _ => 2 };
        var seed = new Option<ulong?>("--seed") { Description = "Of the plan; a new one each time by default.", HelpName = "S" };
        var slow = new Option<double>("--slow")
        {
            Description = "What deadlines and bounds on times are multiplied by.",
            HelpName = "F",
            DefaultValueFactory = static _ => BuildFacts.IsChaos ? ChaosSlowness : 1,
        };
        var noStops = new Option<bool>("--no-stops") { Description = "The process is not stopped as a whole now and then: for debuggers." };
        var json = new Option<string?>("--json") { Description = "Also write the report to this file.", HelpName = "FILE" };
        var command = new RootCommand("A random mixture of all there is, each item accounted for, each phase with its deadline.")
        {
            minutes, seed, slow, noStops, json,
        };
        command.SetAction(arguments => Run(new SoakOptions(
            TimeSpan.FromMinutes(arguments.GetValue(minutes)),
            arguments.GetValue(seed) ?? (ulong)Random.Shared.NextInt64(1_000_000_000),
            arguments.GetValue(slow),
            !arguments.GetValue(noStops),
            arguments.GetValue(json))));
        return command;
    }

    private static int Run(SoakOptions options)
    {
        Machine machine = Machine.Describe();
        machine.Print();
        Console.WriteLine($"soak --minutes {options.Time.TotalMinutes:0.###} --seed {options.Seed} --slow {options.Slow}, commit {BuildFacts.Commit}");
        var soak = new SoakRun(options);
        var conductor = new Conductor(soak);
        AppDomain.CurrentDomain.UnhandledException += (_, _) =>
            Console.Error.WriteLine($"The process is about to end with an unhandled exception; seed {options.Seed}, after {conductor.Elapsed.TotalSeconds:0} s.");
        TaskScheduler.UnobservedTaskException += (_, failure) => Unobserved(soak, failure.Exception);
        using Stopper? stopper = options.Stops ? new Stopper(soak.Clock, options.Seed, options.Slow) : null;
        using (new Watcher(soak, _ => Report(soak, conductor, machine, stopper, isHanging: true), stopper))
        {
            conductor.Run();
        }

        Report(soak, conductor, machine, stopper, isHanging: false);
        if (!soak.Verdict.HasFailed)
        {
            soak.Dispose();
        }

        return soak.Verdict.HasFailed ? 1 : 0;
    }

    private static void Report(SoakRun soak, Conductor conductor, Machine machine, Stopper? stopper, bool isHanging)
    {
        SoakReport report = SoakReport.Of(soak, conductor, machine, stopper?.Stops ?? 0);
        if (isHanging)
        {
            HangReport.Write(Console.Out, soak);
        }

        report.Print(Console.Out);
        Console.Out.Flush();
        if (soak.Options.JsonPath is { } path)
        {
            File.WriteAllText(path, JsonSerializer.Serialize(report, s_json) + Environment.NewLine);
        }
    }

    /// <summary>The soak does not observe most of its tasks; how they may fail is known.</summary>
    private static void Unobserved(SoakRun soak, AggregateException failure)
    {
        foreach (Exception exception in failure.Flatten().InnerExceptions)
        {
            if (exception is not (SoakException or OperationCanceledException or ThreadInterruptedException) && !Tracks.Round.IsRefusal(exception))
            {
                soak.Verdict.Fail($"the failure of a task was not observed: {exception}");
            }
        }
    }
}
