using System.Text.Json;
using NativeThreading.Dashboard.Json;

namespace NativeThreading.Dashboard.Sampling;

/// <summary>The counts of the last minutes, one point for each sample: columns of a bounded ring for each pool and loop. Not thread-safe.</summary>
internal sealed class HistoryRing(int capacity)
{
    private const int MostEvents = 200;

    private static readonly Column<RuntimePoolSample>[] s_runtimePool =
    [
        new("threads", static pool => pool.Threads), new("pending", static pool => pool.Pending), new("perSecond", static pool => pool.PerSecond),
    ];

    private static readonly Column<PoolSample>[] s_pool =
    [
        new("running", static pool => pool.Threads.Running), new("blocked", static pool => pool.Threads.Blocked), new("parked", static pool => pool.Threads.Parked),
        new("reserve", static pool => pool.Threads.Reserve), new("longRunning", static pool => pool.Threads.LongRunning),
        new("length", static pool => pool.Queue.Length), new("oldest", static pool => pool.Queue.Oldest), new("perSecond", static pool => pool.PerSecond),
        new("p50", static pool => pool.Latency?.P50), new("p99", static pool => pool.Latency?.P99),
        new("replacements", static pool => pool.Replacements), new("rescues", static pool => pool.Rescues), new("refusals", static pool => pool.Refusals),
    ];

    private static readonly Column<LoopSample>[] s_loop =
    [
        new("pending", static loop => loop.Pending), new("turnsPerSecond", static loop => loop.TurnsPerSecond),
        new("longestTurn", static loop => loop.LongestTurn), new("busy", static loop => loop.Busy),
    ];

    private readonly double[] _times = new double[capacity]; // in seconds since 1970
    private readonly Queue<(DateTime Time, string Text)> _events = new();
    private readonly Track _ofRuntimePool = new("", 0, s_runtimePool.Length, capacity);
    private Dictionary<int, Track> _pools = [];
    private Dictionary<int, Track> _loops = [];
    private Dictionary<string, string> _open = []; // the words of each condition by its subject and id
    private long _count;

    public void Add(Sample sample)
    {
        int at = (int)(_count++ % capacity);
        _times[at] = (sample.Time - DateTime.UnixEpoch).TotalSeconds;
        _ofRuntimePool.Set(at, s_runtimePool, sample.RuntimePool);
        _pools = Next(_pools, sample.Pools, static pool => (pool.Id, pool.Name), s_pool, at);
        _loops = Next(_loops, sample.Loops, static loop => (loop.Id, loop.Name), s_loop, at);
        NoteEvents(sample);
    }

    /// <summary>Writes the columns, the oldest point first, as properties of one object.</summary>
    public void Write(Utf8JsonWriter json)
    {
        int length = (int)Math.Min(_count, capacity);
        int first = (int)((_count - length) % capacity);
        json.WriteStartObject();
        json.WriteNumber("version", 1);
        WriteColumn(json, "times", _times);
        json.WriteStartObject("runtimePool");
        WriteTrack(s_runtimePool.Select(static column => column.Name), _ofRuntimePool);
        json.WriteEndObject();
        WriteAll("pools", _pools, [.. s_pool.Select(static column => column.Name)]);
        WriteAll("loops", _loops, [.. s_loop.Select(static column => column.Name)]);
        SampleJson.WriteAll(json, "events", [.. _events], static (json, happened) =>
        {
            json.WriteString("time", happened.Time);
            json.WriteString("text", happened.Text);
        });
        json.WriteEndObject();

        void WriteAll(string name, Dictionary<int, Track> tracks, string[] columns) =>
            SampleJson.WriteAll(json, name, [.. tracks.Values], (json, track) =>
            {
                json.WriteNumber("id", track.Id);
                json.WriteString("name", track.Name);
                WriteTrack(columns, track);
            });

        void WriteTrack(IEnumerable<string> columns, Track track)
        {
            foreach ((int index, string name) in columns.Index())
            {
                WriteColumn(json, name, track.Columns[index]);
            }
        }

        void WriteColumn<T>(Utf8JsonWriter json, string name, T[] values)
            where T : struct, IConvertible
        {
            json.WriteStartArray(name);
            for (int i = 0; i < length; i++)
            {
                double value = values[(first + i) % capacity].ToDouble(null);
                if (double.IsNaN(value))
                {
                    json.WriteNullValue();
                }
                else
                {
                    json.WriteNumberValue(Math.Round(value, 3));
                }
            }

            json.WriteEndArray();
        }
    }

    /// <summary>Without those that have stopped.</summary>
    private Dictionary<int, Track> Next<T>(Dictionary<int, Track> before, IReadOnlyList<T> things, Func<T, (int Id, string Name)> of, Column<T>[] columns, int at)
    {
        var next = new Dictionary<int, Track>();
        foreach (T thing in things)
        {
            (int id, string name) = of(thing);
            Track track = next[id] = before.GetValueOrDefault(id) ?? new Track(name, id, columns.Length, capacity);
            track.Set(at, columns, thing);
        }

        return next;
    }

    private void NoteEvents(Sample sample)
    {
        Dictionary<string, string> open = sample.Verdicts
            .SelectMany(static verdict => verdict.Conditions, static (verdict, condition) => (Key: $"{verdict.SubjectId} {condition.Id}", Text: $"{verdict.Subject}: {condition.Text}"))
            .ToDictionary(static each => each.Key, static each => each.Text);
        foreach ((string key, string text) in open.Where(each => !_open.ContainsKey(each.Key)))
        {
            Note(text);
        }

        foreach ((_, string text) in _open.Where(each => !open.ContainsKey(each.Key)))
        {
            Note($"Over: {text}");
        }

        _open = open;

        void Note(string text)
        {
            _events.Enqueue((sample.Time, text));
            if (_events.Count > MostEvents)
            {
                _events.Dequeue();
            }
        }
    }

    private sealed record Column<T>(string Name, Func<T, double?> Value);

    /// <summary>The columns of one pool or loop. A point before it existed is NaN.</summary>
    private sealed class Track
    {
        public Track(string name, int id, int columns, int capacity)
        {
            (Name, Id) = (name, id);
            Columns = [.. Enumerable.Range(0, columns).Select(_ => new float[capacity])];
            Array.ForEach(Columns, static column => Array.Fill(column, float.NaN));
        }

        public string Name { get; }

        public int Id { get; }

        public float[][] Columns { get; }

        public void Set<T>(int at, Column<T>[] columns, T thing)
        {
            for (int i = 0; i < columns.Length; i++)
            {
                Columns[i][at] = columns[i].Value(thing) is { } known ? (float)known : float.NaN;
            }
        }
    }
}
