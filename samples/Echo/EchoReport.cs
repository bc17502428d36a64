using System.Text.Json;

namespace NativeThreading.Samples.Echo;

/// <summary>What a server did. A message is a read that returned something.</summary>
/// <param name="Server">Which one.</param>
/// <param name="Messages">Reads that returned something.</param>
/// <param name="Bytes">That were read, and echoed unless the connection failed.</param>
/// <param name="Connections">That were accepted.</param>
/// <param name="Allocated">Managed bytes that the loops' threads allocated, but for opening and closing connections;
/// null if nothing was counted.</param>
internal sealed record EchoReport(string Server, long Messages, long Bytes, long Connections, long? Allocated)
{
    /// <summary>One line of JSON; <c>cpu_ns</c> is the CPU time of the process so far.</summary>
    public override string ToString()
    {
        using var stream = new MemoryStream();
        using (var json = new Utf8JsonWriter(stream))
        {
            json.WriteStartObject();
            json.WriteString("server", Server);
            json.WriteNumber("messages", Messages);
            json.WriteNumber("bytes", Bytes);
            json.WriteNumber("connections", Connections);
            json.WriteNumber("cpu_ns", (long)Environment.CpuUsage.TotalTime.TotalNanoseconds);
            if (Allocated is long allocated)
            {
                json.WriteNumber("allocated", allocated);
            }

            json.WriteEndObject();
        }

        return System.Text.Encoding.UTF8.GetString(stream.ToArray());
    }
}
