using System.Globalization;

namespace NativeThreading.Top;

/// <summary>The values of one collection, by instrument and tags. Values of the same name and tags are added up: an application may have two meters.</summary>
internal sealed class Measurements
{
    public const string PoolTag = "native_threading.pool.name";
    public const string ConditionTag = "native_threading.condition";

    private readonly Dictionary<(string Instrument, string Pool, string Condition), (double Value, double Rate)> _all = [];
    private readonly Dictionary<string, Dictionary<double, double>> _waits = [];

    /// <summary>The names of all pools.</summary>
    public IEnumerable<string> Pools => _all.Keys.Where(static key => key.Instrument == "native_threading.pool.thread.count").Select(static key => key.Pool).Order(StringComparer.Ordinal);

    /// <summary>Whether the application judges its pools itself.</summary>
    public bool HasConditions => _all.Keys.Any(static key => key.Condition.Length != 0);

    /// <summary>The conditions that the application reports.</summary>
    public IEnumerable<(string Pool, string Condition)> Conditions =>
        _all.Where(static each => each.Key.Instrument == ConditionTag && each.Value.Value != 0).Select(static each => (each.Key.Pool, each.Key.Condition));

    public void Clear()
    {
        _all.Clear();
        _waits.Clear();
    }

    public void Add(string instrument, string tags, string value, string rate, string quantiles)
    {
        Dictionary<string, string> named = TagsOf(tags);
        string pool = named.GetValueOrDefault(PoolTag, "");
        var key = (instrument, pool, named.GetValueOrDefault(ConditionTag, ""));
        (double sum, double change) = _all.GetValueOrDefault(key);
        _all[key] = (sum + (Number(value) ?? 0), change + (Number(rate) ?? 0));
        if (instrument == "native_threading.pool.queue.duration")
        {
            _waits[pool] = quantiles.Split(';', StringSplitOptions.RemoveEmptyEntries).Select(static each => each.Split('='))
                .Where(static each => each.Length == 2 && Number(each[0]) is not null && Number(each[1]) is not null)
                .ToDictionary(static each => Number(each[0])!.Value, static each => Number(each[1])!.Value);
        }
    }

    /// <summary>A pool's value; <see langword="null"/> if there is none.</summary>
    public double? Of(string pool, string name) => _all.TryGetValue(($"native_threading.pool.{name}", pool, ""), out (double Value, double Rate) found) ? found.Value : null;

    /// <summary>By how much a pool's counter rose since the collection before.</summary>
    public double? RateOf(string pool, string name) => _all.TryGetValue(($"native_threading.pool.{name}", pool, ""), out (double Value, double Rate) found) ? found.Rate : null;

    /// <summary>A value of the runtime.</summary>
    public (double Value, double Rate)? OfRuntime(string name) => _all.TryGetValue((name, "", ""), out (double Value, double Rate) found) ? found : null;

    /// <summary>A quantile of a pool's waits in seconds; <see langword="null"/> if the pool does not measure them.</summary>
    public double? WaitOf(string pool, double quantile) =>
        _waits.TryGetValue(pool, out Dictionary<double, double>? waits) && waits.TryGetValue(quantile, out double wait) ? wait : null;

    /// <summary>A value may contain a comma: what has no name belongs to the value before.</summary>
    private static Dictionary<string, string> TagsOf(string tags)
    {
        var all = new Dictionary<string, string>();
        string last = "";
        foreach (string each in tags.Split(',', StringSplitOptions.RemoveEmptyEntries))
        {
            if (each.Split('=', 2) is [var name, var value])
            {
                all[last = name] = value;
            }
            else if (last.Length != 0)
            {
                all[last] += $",{each}";
            }
        }

        return all;
    }

    private static double? Number(string text) => double.TryParse(text, NumberStyles.Float, CultureInfo.InvariantCulture, out double number) ? number : null;
}
