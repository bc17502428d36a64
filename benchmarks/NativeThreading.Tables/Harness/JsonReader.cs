using System.Text.Json;

namespace NativeThreading.Tables.Harness;

/// <summary>Reads what <see cref="JsonReport"/> writes of one table. A program that is older than this one may have written it:
/// what some versions lack is null, a value without a number is no number.</summary>
internal static class JsonReader
{
    /// <exception cref="MeasurementException">The file holds no table.</exception>
    public static TableResult Read(string path)
    {
        try
        {
            using JsonDocument json = JsonDocument.Parse(File.ReadAllText(path));
            return new TableResult(
                (int)(Number(Property(json.RootElement, "runs")) ?? 0), [.. json.RootElement.GetProperty("rows").EnumerateArray().Select(Row)]);
        }
        catch (Exception e) when (e is JsonException or KeyNotFoundException or InvalidOperationException)
        {
            throw new MeasurementException($"{path} is not the result of one table: {e.Message}");
        }
    }

    private static RowResult Row(JsonElement row)
    {
        return new RowResult(
            row.GetProperty("name").GetString()!,
            Property(row, "unit")?.GetString() ?? "",
            row.GetProperty("better").GetString() == "higher" ? Better.Higher : Better.Lower,
            Of(Contender.Native, row.GetProperty("native")),
            row.GetProperty("peers").EnumerateObject()
                .Where(static peer => Number(peer.Value).HasValue).ToDictionary(static peer => peer.Name, peer => Of(peer.Name, peer.Value)),
            Property(row, "note")?.GetString());

        Sample Of(string contender, JsonElement value) => new(Number(value) ?? double.NaN, Measure("cpu", contender), Measure("switches", contender));

        double? Measure(string measure, string contender) =>
            Property(row, measure) is { ValueKind: JsonValueKind.Object } values ? Number(Property(values, contender)) : null;
    }

    private static JsonElement? Property(JsonElement element, string name) => element.TryGetProperty(name, out JsonElement value) ? value : null;

    private static double? Number(JsonElement? value) => value is { ValueKind: JsonValueKind.Number } number ? number.GetDouble() : null;
}
