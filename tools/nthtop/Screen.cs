using System.Globalization;
using System.Text.Json;
using Spectre.Console;
using Spectre.Console.Rendering;

namespace NativeThreading.Top;

/// <summary>One sample as a terminal shows it: the process, what is wrong, and all pools, those in trouble first.</summary>
internal static class Screen
{
    private const string Nothing = "–";

    private static readonly string[] s_states = ["blocked", "running", "longRunning", "parked", "reserve"];
    private static readonly string[] s_words = ["blocked", "running", "long running", "idle", "in reserve"];

    public static IRenderable Of(JsonElement sample, ISampleSource source)
    {
        JsonElement process = sample.GetProperty("process");
        JsonElement[] verdicts = [.. sample.GetProperty("verdicts").EnumerateArray()];
        var rows = new List<IRenderable>
        {
            new Markup($"[bold]{Text(process, "name")}[/] process {process.GetProperty("id")} on {Text(process, "machine")}, {Number(process, "cpu", "0.00")} of {process.GetProperty("processors")} processors, {Text(sample, "time")}"),
        };
        rows.AddRange(verdicts.Select(verdict => new Markup($"[bold red]{Text(verdict, "text")}[/]{SinceOf(verdict)}{RemedyOf(verdict.GetProperty("conditions")[0], source)}")));
        if (verdicts.Length == 0)
        {
            rows.Add(new Markup("[green]All is well.[/]"));
        }

        rows.Add(TableOf(sample, [.. verdicts.Select(static verdict => verdict.GetProperty("subject").GetString()!)]));
        return new Rows(rows);
    }

    private static string SinceOf(JsonElement verdict) => verdict.GetProperty("since").ValueKind == JsonValueKind.Null ? "" : $", since {Text(verdict, "since")}";

    private static string RemedyOf(JsonElement condition, ISampleSource source) =>
        $"\n  {Text(condition, "remedy")}\n  [dim]{Text(condition, "id")} is explained at {Markup.Escape(source.ExplanationOf(condition.GetProperty("id").GetString()!))}[/]";

    private static Table TableOf(JsonElement sample, HashSet<string> sick)
    {
        Table table = new Table().Border(TableBorder.Simple).AddColumn("Pool").AddColumn("Threads").AddColumn("Blocked in");
        foreach (string name in (string[])["Queue", "Oldest waits", "Items a second", "p99 wait"])
        {
            table.AddColumn(new TableColumn(name).RightAligned());
        }

        foreach (JsonElement pool in sample.GetProperty("pools").EnumerateArray().OrderByDescending(pool => sick.Contains(pool.GetProperty("name").GetString()!)))
        {
            JsonElement queue = pool.GetProperty("queue");
            bool isKnown = queue.GetProperty("oldest").ValueKind == JsonValueKind.Number;
            table.AddRow(
                Text(pool, "name"),
                Threads(pool.GetProperty("threads")),
                BlockedIn(pool),
                Number(queue, "length", "N0"),
                isKnown ? $"{Number(queue, "oldest", "N0")} ms" : Nothing,
                Number(pool, "perSecond", "N0"),
                pool.GetProperty("latency") is { ValueKind: JsonValueKind.Object } latency ? $"{Number(latency, "p99", "N0")} µs" : Nothing);
        }

        JsonElement builtIn = sample.GetProperty("runtimePool");
        return table.AddRow("built-in pool", $"{Number(builtIn, "threads", "N0")} threads", Nothing, Number(builtIn, "pending", "N0"), Nothing, Number(builtIn, "perSecond", "N0"), Nothing);
    }

    private static string Threads(JsonElement threads)
    {
        string[] known = [.. s_states.Zip(s_words).Where(each => threads.GetProperty(each.First) is { ValueKind: JsonValueKind.Number } count && count.GetDouble() != 0)
            .Select(each => $"{(each.First == "blocked" ? "[yellow]" : "[default]")}{Number(threads, each.First, "0")} {each.Second}[/]")];
        return known.Length == 0 ? Nothing : string.Join(", ", known);
    }

    /// <summary>The name that most of the blocked threads run.</summary>
    private static string BlockedIn(JsonElement pool)
    {
        string[] names = [.. pool.GetProperty("workers").EnumerateArray()
            .Where(static worker => Text(worker, "state") is "blocked" or "region" && worker.GetProperty("item").ValueKind == JsonValueKind.Object)
            .Select(static worker => Text(worker.GetProperty("item"), "name"))];
        return names.CountBy(static name => name).OrderByDescending(static each => each.Value).Select(static each => $"{each.Value} × {each.Key}").FirstOrDefault() ?? Nothing;
    }

    private static string Text(JsonElement of, string name) => of.GetProperty(name) is { ValueKind: JsonValueKind.String } text ? Markup.Escape(text.GetString()!) : Nothing;

    private static string Number(JsonElement of, string name, string format) =>
        of.GetProperty(name) is { ValueKind: JsonValueKind.Number } number ? number.GetDouble().ToString(format, CultureInfo.InvariantCulture) : Nothing;
}
