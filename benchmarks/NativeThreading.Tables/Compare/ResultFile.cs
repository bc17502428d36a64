using System.Text.Json;
using NativeThreading.Tables.Harness;

namespace NativeThreading.Tables.Compare;

/// <summary>A result as <see cref="JsonReport"/> writes it, of a program that may be older than this one: only what every
/// version has written is read.</summary>
internal sealed class ResultFile
{
    private readonly Dictionary<string, MeasuredRow> _rows;

    private ResultFile(Dictionary<string, MeasuredRow> rows) => _rows = rows;

    public IReadOnlyDictionary<string, MeasuredRow> Rows => _rows;

    /// <exception cref="MeasurementException">The file holds no table.</exception>
    public static ResultFile Read(string path)
    {
        try
        {
            using JsonDocument json = JsonDocument.Parse(File.ReadAllText(path));
            return new ResultFile(json.RootElement.GetProperty("rows").EnumerateArray().Select(MeasuredRow.From).ToDictionary(r => r.Name));
        }
        catch (Exception e) when (e is JsonException or KeyNotFoundException or InvalidOperationException)
        {
            throw new MeasurementException($"{path} is not the result of one table: {e.Message}");
        }
    }
}

/// <summary>A row's medians in one result.</summary>
internal sealed record MeasuredRow(string Name, Better Better, double? Native, IReadOnlyDictionary<string, double> Peers)
{
    public static MeasuredRow From(JsonElement row) => new(
        row.GetProperty("name").GetString()!,
        row.GetProperty("better").GetString() == "higher" ? Better.Higher : Better.Lower,
        Number(row.GetProperty("native")),
        row.GetProperty("peers").EnumerateObject()
            .Where(p => p.Value.ValueKind == JsonValueKind.Number).ToDictionary(p => p.Name, p => p.Value.GetDouble()));

    /// <summary>By how much this row is better than an older measurement of it, as a logarithm. Null where a value is zero or
    /// unknown: such a row has no ratio.</summary>
    public double? LogBetterThan(MeasuredRow old) => Log(Native, old.Native);

    /// <summary>The same of the peers, whose code is the same on both sides: what it shows is noise and drift.</summary>
    public IEnumerable<double> LogPeersBetterThan(MeasuredRow old) =>
        from peer in Peers
        where old.Peers.ContainsKey(peer.Key)
        let log = Log(peer.Value, old.Peers[peer.Key])
        where log.HasValue
        select log.Value;

    private double? Log(double? now, double? before) =>
        now is > 0 and double n && before is > 0 and double b ? (Better == Better.Higher ? Math.Log(n / b) : Math.Log(b / n)) : null;

    private static double? Number(JsonElement value) => value.ValueKind == JsonValueKind.Number ? value.GetDouble() : null;
}
