using System.Globalization;
using System.Text.Json.Nodes;
using System.Text.RegularExpressions;

namespace NativeThreading.Top;

/// <summary>What is wrong with a process, as far as its metrics say. An application with a host reports its conditions as a metric. Otherwise the counts
/// are judged: what they cannot show (the age of items, turns of loops) is then missing.</summary>
internal sealed partial class ProcessVerdicts
{
    private const string BuiltIn = "built-in pool";
    private const string Threads = "dotnet.thread_pool.thread.count";

    /// <summary>The worst first, as in the documentation, whose sections these are: each condition with its remedy, the last paragraph.</summary>
    private static readonly (string Id, string Remedy)[] s_kinds = [.. Sections()];

    private Dictionary<(string Subject, string Id), DateTime?> _since = []; // null: it was there when this program came
    private HashSet<string> _allBlocked = [];
    private double? _threadsBefore;
    private bool _isNew = true;

    public JsonArray Next(Measurements measured, DateTime now)
    {
        (string Pool, string Id)[] found = measured.HasConditions ? [.. measured.Conditions] : [.. Judged(measured)];
        string[] blocked = [.. measured.Pools.Where(pool => IsBlocked(measured, pool))];
        var since = new Dictionary<(string, string), DateTime?>();
        var verdicts = new List<(int Rank, JsonObject Verdict)>();
        foreach (IGrouping<string, (string Pool, string Id)> of in found.GroupBy(static each => SubjectOf(each.Pool, each.Id)))
        {
            var conditions = new JsonArray();
            int worst = int.MaxValue;
            foreach ((string pool, string id) in of.OrderBy(static each => RankOf(each.Id)))
            {
                worst = Math.Min(worst, RankOf(id));
                since[(of.Key, id)] = _since.TryGetValue((of.Key, id), out DateTime? earlier) ? earlier : _isNew ? null : now;
                conditions.Add(new JsonObject
                {
                    ["id"] = id,
                    ["text"] = TextOf(measured, pool, id),
                    ["since"] = since[(of.Key, id)],
                    ["remedy"] = s_kinds.FirstOrDefault(kind => kind.Id == id).Remedy ?? "",
                });
            }

            verdicts.Add((worst, new JsonObject
            {
                ["subject"] = of.Key,
                ["subjectId"] = null,
                ["text"] = $"{of.Key}: {string.Join(", ", conditions.Select(static condition => condition!["text"]!.GetValue<string>()))}",
                ["since"] = conditions[0]!["since"]?.DeepClone(),
                ["conditions"] = conditions,
            }));
        }

        _since = since;
        (_allBlocked, _threadsBefore, _isNew) = ([.. blocked], measured.OfRuntime(Threads)?.Value, false);
        return [.. verdicts.OrderBy(static each => each.Rank).Select(static each => each.Verdict)];
    }

    private IEnumerable<(string Pool, string Id)> Judged(Measurements measured)
    {
        foreach (string pool in measured.Pools)
        {
            // A pool replaces blocked threads within milliseconds: one that stays blocked may start no more.
            if (IsBlocked(measured, pool) && _allBlocked.Contains(pool))
            {
                yield return (pool, "limit-reached");
            }

            foreach ((string name, string id) in ((string, string)[])[("thread.rescued", "rescue"), ("work_item.rejected", "queue-full"), ("work_item.expired", "expired-item"), ("watchdog.recoveries", "lost-wake")])
            {
                if (measured.RateOf(pool, name) > 0)
                {
                    yield return (pool, id);
                }
            }
        }

        if (measured.OfRuntime("dotnet.thread_pool.queue.length")?.Value > 0 && measured.OfRuntime(Threads)?.Value > _threadsBefore)
        {
            yield return ("", "built-in-pool-starving");
        }
    }

    private static bool IsBlocked(Measurements measured, string pool) =>
        measured.Of(pool, "thread.count") is > 0 and var all && measured.Of(pool, "thread.blocked") >= all && measured.Of(pool, "queue.length") > 0;

    private static string SubjectOf(string pool, string id) => id switch
    {
        "built-in-pool-starving" => BuiltIn,
        "long-turn" => "event loops",
        _ => pool,
    };

    private static string TextOf(Measurements measured, string pool, string id)
    {
        string blocked = $"{measured.Of(pool, "thread.blocked")} of {measured.Of(pool, "thread.count")} threads blocked";
        return id switch
        {
            "limit-reached" => $"{blocked} (limit reached)",
            "starvation" => $"{blocked}, {measured.Of(pool, "queue.length")} items waiting",
            "rescue" => "blocked code probably waits for work of its own pool",
            "queue-full" => $"queue full ({measured.Of(pool, "queue.length")}){Rate("work_item.rejected", "items a second rejected")}",
            "expired-item" => $"items expired{Rate("work_item.expired", "a second")}",
            "old-item" => "the oldest item has waited for too long",
            "long-turn" => "a turn took too long",
            "lost-wake" => $"{measured.Of(pool, "watchdog.recoveries")} lost wake-ups repeated",
            "built-in-pool-starving" => $"{measured.OfRuntime("dotnet.thread_pool.queue.length")?.Value} items waiting, {measured.OfRuntime(Threads)?.Value} threads",
            _ => id,
        };

        string Rate(string name, string words) => measured.RateOf(pool, name) is > 0 and var rate ? string.Create(CultureInfo.InvariantCulture, $", {rate:0.#} {words}") : "";
    }

    private static int RankOf(string id) => Array.FindIndex(s_kinds, kind => kind.Id == id) is >= 0 and var rank ? rank : s_kinds.Length;

    private static IEnumerable<(string Id, string Remedy)> Sections()
    {
        using var reader = new StreamReader(typeof(ProcessVerdicts).Assembly.GetManifestResourceStream("conditions.md")!);
        foreach (Match section in Section().Matches(reader.ReadToEnd().ReplaceLineEndings("\n")))
        {
            yield return (section.Groups[1].Value, section.Groups[2].Value.Trim().Split("\n\n")[^1].Replace('\n', ' '));
        }
    }

    [GeneratedRegex(@"^## ([a-z-]+)\n(.*?)(?=^## )", RegexOptions.Multiline | RegexOptions.Singleline)]
    private static partial Regex Section();
}
