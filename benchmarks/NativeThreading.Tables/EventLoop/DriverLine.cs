using System.Text.Json;
using NativeThreading.Tables.Harness;

namespace NativeThreading.Tables.EventLoops;

/// <summary>One line of the driver's answer. The value is in nanoseconds, or a number of system calls.</summary>
internal sealed record DriverLine(string Row, string Contender, double Value, double CpuNanoseconds)
{
    public Sample Sample => new(Value, CpuNanoseconds, Switches: null);

    public static DriverLine Parse(string line)
    {
        try
        {
            using JsonDocument json = JsonDocument.Parse(line);
            JsonElement root = json.RootElement;
            JsonElement value = root.TryGetProperty("system_calls", out JsonElement calls) ? calls : root.GetProperty("ns");
            return new DriverLine(
                root.GetProperty("row").GetString()!,
                root.GetProperty("contender").GetString()!,
                value.GetDouble(),
                root.GetProperty("cpu_ns").GetDouble());
        }
        catch (Exception e) when (e is JsonException or KeyNotFoundException or InvalidOperationException or FormatException)
        {
            throw new MeasurementException($"the driver wrote '{line}', which is no measurement: {e.Message}");
        }
    }
}
