using System.Text.Json;

namespace NativeThreading.Tables.Echo;

/// <summary>The last line of a server.</summary>
internal readonly record struct ServerReport(long Messages, long Bytes, long? Allocated)
{
    public static ServerReport Parse(string line)
    {
        using JsonDocument json = JsonDocument.Parse(line);
        return new ServerReport(
            json.RootElement.GetProperty("messages").GetInt64(),
            json.RootElement.GetProperty("bytes").GetInt64(),
            json.RootElement.TryGetProperty("allocated", out JsonElement allocated) ? allocated.GetInt64() : null);
    }
}
