using System.CommandLine;
using NativeThreading.Tables.Harness;
using NativeThreading.Tables.Processes;

namespace NativeThreading.Tables.Crowded;

/// <summary>The same rows alone, next to busy processes, on one processor and under a quota of processor time: applications share their machine, and
/// a pool that waits for a thread without a processor is slow only there. Each scene is a process of its own.</summary>
internal sealed class CrowdedTable : Table
{
    private readonly RowSelection _selection = new();
    private readonly Option<bool> _here = new("--here")
    {
        Description = "Only measures, in this process, which something else has put where it is.",
        Hidden = true,
    };

    private readonly Option<string[]> _scenes = new("--scenes")
    {
        Description = "Only these scenes.",
        HelpName = string.Join('|', Scene.All.Select(static scene => scene.Name)),
        AllowMultipleArgumentsPerToken = true,
    };

    private readonly List<string> _remarks = [];

    public CrowdedTable() => _scenes.AcceptOnlyFromAmong([.. Scene.All.Select(static scene => scene.Name)]);

    public override string Name => "crowded";

    public override string Description => "The pool next to 1, 2 and 4 busy processes, on one processor, and under a quota of processor time.";

    public override int RequiredProcessors => 1;

    public override IEnumerable<Option> Options => [_selection.Option, _scenes, _here];

    public override TableResult Measure(RunOptions options, ParseResult arguments, Progress progress)
    {
        if (arguments.GetValue(_here))
        {
            return MeasureHere(options, arguments, progress);
        }

        string[] chosen = arguments.GetValue(_scenes) ?? [];
        string[] command =
        [
            Name, _here.Name,
            .. options.Quick ? (string[])["--quick"] : [],
            .. options.OursAlone ? (string[])["--ours-alone"] : [],
            .. arguments.GetResult(_selection.Option) is { } rows ? (string[])[_selection.Option.Name, .. rows.Tokens.Select(static token => token.Value)] : [],
        ];
        var results = new List<RowResult>();
        int runs = 0;
        SceneKind[] scenes = [.. Scene.All.Where(scene => chosen.Length == 0 || chosen.Contains(scene.Name))];
        for (int i = 0; i < scenes.Length; i++)
        {
            progress.Show(scenes[i].Name, i, scenes.Length);
            try
            {
                using Scene scene = Scene.Begin(scenes[i]);
                TableResult result = TableProcess.Run(scene.Under, command, Slices.OptimizesEarly);
                results.AddRange(result.Rows.Select(row => row with { Name = $"{scenes[i].Name}/{row.Name}" }));
                runs = result.Runs;
            }
            catch (Exception e) when (e is MeasurementException or System.ComponentModel.Win32Exception && (scenes[i].Quota is not null || scenes[i].OneProcessor))
            {
                _remarks.Add($"{scenes[i].Name} is left out: {e.Message}");
            }

            Turns.Next();
        }

        progress.Clear();
        return new TableResult(runs, results);
    }

    public override void Print(TableResult result)
    {
        string[] scenes = [.. result.Rows.Select(static row => SceneOf(row)).Distinct()];
        if (scenes.Length == 0 || Scene.All.All(scene => scene.Name != scenes[0]))
        {
            base.Print(result);
            return;
        }

        Dictionary<string, RowResult> rows = result.Rows.ToDictionary(static row => row.Name);
        string[] names = [.. result.Rows.Select(static row => RowOf(row)).Distinct()];
        int width = names.Max(static name => name.Length) + 2;
        Console.WriteLine(Terminal.Bold("built-in / ours / ratio, by scene"));
        Console.WriteLine("".PadRight(width) + "unit".PadRight(12) + string.Concat(scenes.Select(static scene => $"{scene,26}")));
        foreach (string name in names)
        {
            RowResult first = result.Rows.First(row => RowOf(row) == name);
            Console.WriteLine(name.PadRight(width) + first.Unit.PadRight(12)
                + string.Concat(scenes.Select(scene => rows.TryGetValue($"{scene}/{name}", out RowResult? row) ? Cell(row) : $"{"-",26}")));
        }

        foreach (string scene in scenes)
        {
            var table = new TableResult(0, [.. result.Rows.Where(row => SceneOf(row) == scene)]);
            Console.WriteLine($"{scene}: geometric mean {Numbers.Ratio(table.Geomean)}, worst {Numbers.Ratio(table.Worst)}");
        }

        foreach (string note in result.Rows.Select(static row => row.Note).OfType<string>().Distinct().Concat(_remarks))
        {
            Console.WriteLine(Terminal.Dim(note));
        }
    }

    private TableResult MeasureHere(RunOptions options, ParseResult arguments, Progress progress)
    {
        int turns = options.Quick ? 3 : 10;
        using var rows = new CrowdedRows();
        CrowdedRow[] all = [.. rows.All(), new("web/json", new("", static () => 0), new("", static () => 0))];
        IReadOnlyList<CrowdedRow> chosen = _selection.Of(all, static row => row.Name, arguments);
        List<RowResult> results = Slices.Measure([.. chosen.Where(row => row != all[^1])],
            TimeSpan.FromMilliseconds(options.Quick ? 40 : 100), turns, options.OursAlone, progress);
        if (chosen.Contains(all[^1]))
        {
            using var web = new CrowdedWeb();
            results.AddRange(web.Measure(options.Quick ? 1 : 4, options.OursAlone, progress));
        }

        progress.Clear();
        return new TableResult(turns, results);
    }

    private static string SceneOf(RowResult row) => row.Name[..row.Name.IndexOf('/', StringComparison.Ordinal)];

    private static string RowOf(RowResult row) => row.Name[(row.Name.IndexOf('/', StringComparison.Ordinal) + 1)..];

    private static string Cell(RowResult row)
    {
        string values = row.Peers.TryGetValue(Contender.ThreadPool, out Sample peer) ? $"{Numbers.Format(peer.Value)} / {Numbers.Format(row.Native.Value)}" : Numbers.Format(row.Native.Value);
        return values.PadLeft(18) + Terminal.Judge(row.Advantage, Numbers.Ratio(row.Advantage).PadLeft(8));
    }
}
