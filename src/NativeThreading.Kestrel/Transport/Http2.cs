namespace NativeThreading.Kestrel.Transport;

/// <summary>By what HTTP/2 is known.</summary>
internal static class Http2
{
    private const int LeastBytes = 4;

    private static ReadOnlySpan<byte> Preface => "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"u8;

    /// <summary>
    /// Whether a connection that begins with these bytes speaks HTTP/2. A client that sends less than "PRI " at first is not recognized,
    /// and served on the loop.
    /// </summary>
    public static bool Begins(ReadOnlySpan<byte> first)
    {
        int count = Math.Min(first.Length, Preface.Length);
        return count >= LeastBytes && first[..count].SequenceEqual(Preface[..count]);
    }
}
