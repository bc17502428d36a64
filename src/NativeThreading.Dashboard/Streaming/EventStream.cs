using System.Globalization;
using System.Text;

namespace NativeThreading.Dashboard.Streaming;

/// <summary>The format of server-sent events. JSON has no line breaks, so a sample is one line.</summary>
internal static class EventStream
{
    /// <summary>A browser that has lost the stream comes back after a second.</summary>
    public static ReadOnlyMemory<byte> Retry { get; } = "retry: 1000\n\n"u8.ToArray();

    public static byte[] Event(long sequence, byte[] json)
    {
        byte[] head = Encoding.ASCII.GetBytes(string.Create(CultureInfo.InvariantCulture, $"event: sample\nid: {sequence}\ndata: "));
        return [.. head, .. json, (byte)'\n', (byte)'\n'];
    }
}
