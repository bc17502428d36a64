using System.CommandLine;
using NativeThreading.Tables.Harness;
using NativeThreading.Tables.Isolation;

namespace NativeThreading.Tables.Kestrel;

/// <summary>
/// Kestrel on event loops beside Kestrel on its own sockets. A server for each side runs throughout, in a process of its own, and
/// so does the load, on loopback. One server is asked at a time.
/// </summary>
internal sealed class KestrelTable : Table
{
    private readonly RowSelection _selection = new();
    private readonly Option<bool> _builtIn = new("--built-in-client") { Description = "Do not use wrk, even if it is installed." };

    public override string Name => "kestrel";

    public override string Description => "A web server whose connections event loops carry, beside Kestrel's own sockets.";

    public override bool IsInAll => false;

    public override int RequiredProcessors => 2;

    public override IEnumerable<Option> Options => [_selection.Option, _builtIn];

    public override TableResult Measure(RunOptions options, ParseResult arguments, Progress progress)
    {
        IReadOnlyList<Scenario> scenarios = _selection.Of(Scenario.All(), static scenario => scenario.Name, arguments);
        int rounds = options.Quick ? 3 : options.Full ? 9 : 5;
        var window = TimeSpan.FromSeconds(options.Quick ? 1 : 2);
        using WrkLoad? wrk = WrkLoad.IsInstalled && !arguments.GetValue(_builtIn) ? new WrkLoad() : null;
        using var sides = new Sides();
        var loads = new Loads(wrk is null ? new BuiltInLoad() : wrk);
        var measured = scenarios.ToDictionary(static scenario => scenario, static _ => new Answers());
        for (int round = -1; round < rounds; round++) // the first one lets the servers compile what they run
        {
            for (int i = 0; i < scenarios.Count; i++)
            {
                progress.Show($"{scenarios[i].Name}, round {round + 1} of {rounds}", i, scenarios.Count);
                foreach (Side side in (round + i) % 2 == 0 ? sides.All : sides.All.Reverse())
                {
                    Answered answered = loads.Run(scenarios[i], side, window);
                    if (round >= 0)
                    {
                        measured[scenarios[i]].Add(side.Name, answered);
                    }
                }
            }
        }

        progress.Clear();
        return new TableResult(rounds, [.. scenarios.SelectMany(scenario => measured[scenario].Rows(scenario.Name, loads.Note(scenario)))]);
    }

    public override void Print(TableResult result)
    {
        base.Print(result);
        Console.WriteLine(Terminal.Dim("threadpool: Kestrel's sockets, requests on the runtime's pool. cpu: CPU time of the server for an answer."));
    }
}
