using System.CommandLine;
using NativeThreading.Tables.Harness;
using NativeThreading.Tables.Isolation;
using NativeThreading.Workloads.Kestrel;

namespace NativeThreading.Tables.Kestrel;

/// <summary>Kestrel on event loops compared with Kestrel on its own sockets. A server for each side runs throughout, in a process of its own, and so does
/// the load, on loopback. One server is asked at a time.</summary>
internal sealed class KestrelTable : Table
{
    private readonly Chosen _chosen = new();
    private readonly Option<bool> _builtIn = new("--built-in-client") { Description = "Do not use wrk, even if it is installed." };
    private readonly List<string> _remarks = [];

    public override string Name => "kestrel";

    public override string Description => "A web server whose connections event loops carry, compared with Kestrel's own sockets.";

    public override bool IsInAll => false;

    public override int RequiredProcessors => 2;

    public override IEnumerable<Option> Options => [.. _chosen.Options, _builtIn];

    public override TableResult Measure(RunOptions options, ParseResult arguments, Progress progress)
    {
        IHttpLoad http = WrkLoad.IsInstalled && !arguments.GetValue(_builtIn) ? new WrkLoad() : new BuiltInLoad();
        IReadOnlyList<Scenario> scenarios = _chosen.Of(arguments, http, _remarks.Add);
        int rounds = options.Quick ? 3 : options.Full ? 9 : 5;
        var window = TimeSpan.FromSeconds(options.Quick ? 1 : 2);
        using Database? database = scenarios.Any(static scenario => scenario.NeedsDatabase) ? Database.Start() : null;
        using var sides = new Sides();
        foreach (Side side in sides.All)
        {
            database?.Tell(side);
        }

        var loads = new Loads(http);
        var measured = scenarios.ToDictionary(static scenario => scenario, static _ => new Answers());
        for (int round = -1; round < rounds; round++) // the first one lets the servers compile what they run
        {
            for (int i = 0; i < scenarios.Count; i++)
            {
                if ((round < 0 && scenarios[i].NeedsNewServer) || (scenarios[i].Windows > 1 && round % 3 != 0))
                {
                    continue; // it is warmed up by itself, or takes long
                }

                progress.Show($"{scenarios[i].Name}, round {round + 1} of {rounds}", i, scenarios.Count);
                foreach (Side side in (round + i) % 2 == 0 ? sides.All : sides.All.Reverse())
                {
                    IReadOnlyList<Measured> run = loads.Run(scenarios[i], side, window);
                    if (round >= 0)
                    {
                        measured[scenarios[i]].Add(side.Name, run);
                    }
                }
            }
        }

        CountCalls(scenarios, sides, loads, measured, window, progress);
        progress.Clear();
        return new TableResult(rounds, [.. scenarios.SelectMany(scenario => measured[scenario].Rows(scenario.Name, loads.Note(scenario)))]);
    }

    public override void Print(TableResult result)
    {
        base.Print(result);
        Console.WriteLine(Terminal.Dim("threadpool: Kestrel's sockets, requests on the built-in pool. cpu: CPU time of the server for an answer."));
        _remarks.ForEach(static remark => Console.WriteLine(Terminal.Dim(remark)));
    }

    /// <summary>In separate runs, which are not timed.</summary>
    private void CountCalls(
        IReadOnlyList<Scenario> scenarios, Sides sides, Loads loads, Dictionary<Scenario, Answers> measured, TimeSpan window, Progress progress)
    {
        Scenario[] counted = [.. scenarios.Where(static scenario => !scenario.NeedsNewServer && !scenario.HasCompany)];
        if (counted.Length == 0)
        {
            return;
        }

        if (SystemCallTool.Find() is not { } tool)
        {
            _remarks.Add("syscalls were not counted: neither perf nor strace can be used here.");
            return;
        }

        _remarks.Add($"syscalls: counted in one run apart, by {tool.Name}.");
        for (int i = 0; i < counted.Length; i++)
        {
            progress.Show($"{counted[i].Name}, system calls", i, counted.Length);
            (Side Side, Measured? Calls)[] calls = [.. sides.All.Select(side => (side, loads.CountCalls(counted[i], side, tool, window)))];
            if (Array.Exists(calls, static call => call.Calls is null))
            {
                _remarks.Add($"{counted[i].Name}: {tool.Name} could not count the system calls.");
                continue;
            }

            Array.ForEach(calls, call => measured[counted[i]].Add(call.Side.Name, [call.Calls!.Value]));
        }
    }
}
