using System.CommandLine;
using System.Globalization;
using NativeThreading.Tables.Harness;

namespace NativeThreading.Tables.Isolation;

/// <summary>The sample Storefront: its fast endpoint while its slow, blocking one is hammered, with the slow one on a pool of its own and without.
/// Server and load are processes of their own, on loopback.</summary>
internal sealed class IsolationTable : Table
{
    private static readonly (string Kind, string Path)[] s_kinds = [("sleep", "/reports/sales"), ("sync-over-async", "/reports/stock")];

    private readonly Option<string?> _only = new("--only") { Description = "Only rows of this kind: sleep or sync-over-async.", HelpName = "KIND" };
    private readonly Option<bool> _builtIn = new("--built-in-client") { Description = "Do not use wrk, even if it is installed." };

    public override string Name => "isolation";

    public override string Description => "A web application's fast endpoint while a slow, blocking one is hammered, isolated and not.";

    public override int RequiredProcessors => 2;

    public override IEnumerable<Option> Options => [_only, _builtIn];

    public override TableResult Measure(RunOptions options, ParseResult arguments, Progress progress)
    {
        string only = arguments.GetValue(_only) ?? "";
        (string Kind, string Path)[] kinds = [.. s_kinds.Where(k => k.Kind.StartsWith(only, StringComparison.Ordinal))];
        int rounds = options.Quick ? 1 : 3;

        // Long enough for a starved pool to grow until it answers at all.
        var window = TimeSpan.FromSeconds(options.Quick ? 3 : 5);
        var unloadedWindow = TimeSpan.FromSeconds(options.Quick ? 1 : 2);
        IHttpLoad load = WrkLoad.IsInstalled && !arguments.GetValue(_builtIn) ? new WrkLoad() : new BuiltInLoad();
        string setting = string.Create(CultureInfo.InvariantCulture,
            $"{load.Name}, {Hammering.FastConnections} connections on the fast endpoint, {Hammering.SlowConnections} on the slow one that blocks for 200 ms, ")
            + $"window of {window.TotalSeconds} s, servers started anew for each run; an endpoint without an answer in its window counts as that long";

        var isolated = kinds.ToDictionary(k => k.Kind, _ => new List<Hammering>());
        var builtIn = kinds.ToDictionary(k => k.Kind, _ => new List<Hammering>());
        for (int run = 0; run < rounds * kinds.Length * 2; run++)
        {
            progress.Show($"round {(run / (kinds.Length * 2)) + 1} of {rounds}", run, rounds * kinds.Length * 2);
            (string kind, string path) = kinds[run / 2 % kinds.Length];
            bool onPool = (run + (run / 2)) % 2 == 0; // another one goes first each time
            (onPool ? isolated : builtIn)[kind].Add(Hammering.Run(onPool, path, load, window, unloadedWindow));
        }

        progress.Clear();
        return new TableResult(rounds, [.. kinds.SelectMany(k => new IsolationRows(k.Kind, isolated[k.Kind], builtIn[k.Kind]).Results(setting))]);
    }
}
