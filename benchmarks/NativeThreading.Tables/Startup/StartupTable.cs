using System.CommandLine;
using NativeThreading.Tables.Harness;

namespace NativeThreading.Tables.Startup;

/// <summary>The cost of a separate pool in a program that has just started, compared with the built-in pool. Each run is a new process.</summary>
internal sealed class StartupTable : Table
{
    private const string Peer = Contender.ThreadPool;

    // The name, the arguments of the program before and behind the side, and what is said about the row.
    private static readonly (string Name, string Work, string[] More, string Note)[] s_rows =
    [
        ("startup/first-item", "items", ["1"], "From the start of the process until the first item of a new pool has ended."),
        ("startup/1000-items", "items", ["1000"], "The same for a thousand items, queued one after the other."),
        ("startup/first-request", "request", [], "From the start of the process until a web application has answered its first request. "
            + "Ours: on a pool that the host starts."),
    ];

    private readonly RowSelection _selection = new();

    public override string Name => "startup";

    public override string Description => "From the start of a process to its first item, its first thousand, its first web request.";

    public override bool IsInAll => false;

    public override IEnumerable<Option> Options => [_selection.Option];

    public override TableResult Measure(RunOptions options, ParseResult arguments, Progress progress)
    {
        var rows = _selection.Of(s_rows, static row => row.Name, arguments);
        int runs = options.Quick ? 7 : options.Full ? 61 : 21;
        List<Sample>[] own = Lists(), packaged = Lists(), runtimes = Lists(), floor = Lists();
        using PackagedProgram? package = PackagedProgram.Of(StartedProgram.Location);
        for (int run = -1; run < runs; run++) // the first round fills the system's caches of files
        {
            for (int row = 0; row < rows.Count; row++)
            {
                progress.Show($"{rows[row].Name}, run {run + 1} of {runs}", row, rows.Count);
                (string _, string work, string[] more, string _) = rows[row];
                (List<Sample> To, string Program, string[] Arguments)[] contenders =
                [
                    (own[row], StartedProgram.Location, [work, Contender.Native, .. more]),
                    .. package is null ? [] : new[] { (packaged[row], package.Location, (string[])[work, Contender.Native, .. more]) },
                    (runtimes[row], StartedProgram.Location, [work, Peer, .. more]),
                    (floor[row], StartedProgram.Location, ["none"]),
                ];
                foreach ((List<Sample> to, string program, string[] call) in (run + row) % 2 == 0 ? contenders : contenders.Reverse())
                {
                    Sample sample = StartedProgram.Run(program, call);
                    if (run >= 0)
                    {
                        to.Add(sample);
                    }
                }
            }
        }

        progress.Clear();
        return new TableResult(runs, [.. rows.SelectMany((row, i) => package is null
            ? new[] { Row(row.Name, row.Note, own, i) }
            : [Row(row.Name, row.Note, own, i), Row($"{row.Name}/packaged", "The same, with the library compiled ahead, as the packages have it.", packaged, i)])]);

        RowResult Row(string name, string note, List<Sample>[] ours, int i) =>
            new(name, "ms", Better.Lower, Median(ours[i]), Median(runtimes[i]), note) { Floor = Median(floor[i]) };
        List<Sample>[] Lists() => [.. rows.Select(static _ => new List<Sample>())];
        static Sample Median(List<Sample> samples) => Statistics.Median(samples, null);
    }

    public override void Print(TableResult result)
    {
        base.Print(result);
        Console.WriteLine(Terminal.Dim("floor: a process that does nothing. A process each, by turns; medians; CPU time is that of the whole process."));
        if (!result.Rows.Any(static row => row.Name.EndsWith("/packaged", StringComparison.Ordinal)))
        {
            Console.WriteLine(Terminal.Dim("Without rows of the packages, for none were made of this code: dotnet cake --target=Pack."));
        }
    }
}
