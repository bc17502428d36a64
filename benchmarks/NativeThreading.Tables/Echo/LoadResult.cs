using System.Text.Json;

namespace NativeThreading.Tables.Echo;

/// <summary>What the load generator saw in its window; the totals also count what was before and after it.</summary>
internal readonly record struct LoadResult(
    long Messages,
    double Seconds,
    double LoadCpuNanoseconds,
    double ServerCpuNanoseconds,
    double P50Nanoseconds,
    double P99Nanoseconds,
    long Total,
    long TotalBytes)
{
    public static LoadResult Parse(string line)
    {
        using JsonDocument json = JsonDocument.Parse(line);
        JsonElement root = json.RootElement;
        return new LoadResult(
            root.GetProperty("messages").GetInt64(),
            root.GetProperty("seconds").GetDouble(),
            root.GetProperty("cpu_ns").GetInt64(),
            root.GetProperty("server_cpu_ns").GetInt64(),
            root.GetProperty("p50_ns").GetInt64(),
            root.GetProperty("p99_ns").GetInt64(),
            root.GetProperty("total").GetInt64(),
            root.GetProperty("total_bytes").GetInt64());
    }
}
