namespace NativeThreading.AspNetCore.Tests.Transport.Support;

/// <summary>Bytes without an end, in which one that is lost, doubled or moved is noticed.</summary>
internal static class Pattern
{
    private static readonly byte[] s_period = Create();

    /// <summary>The bytes from a position on.</summary>
    public static byte[] Bytes(long position, int count)
    {
        byte[] bytes = new byte[count];
        for (int done = 0, run; done < count; done += run)
        {
            int at = (int)((position + done) % s_period.Length);
            run = Math.Min(count - done, s_period.Length - at);
            s_period.AsSpan(at, run).CopyTo(bytes.AsSpan(done));
        }

        return bytes;
    }

    /// <summary>Whether these are the bytes from that position on.</summary>
    public static bool IsAt(long position, ReadOnlySpan<byte> bytes)
    {
        while (!bytes.IsEmpty)
        {
            int at = (int)(position % s_period.Length);
            int run = Math.Min(bytes.Length, s_period.Length - at);
            if (!s_period.AsSpan(at, run).SequenceEqual(bytes[..run]))
            {
                return false;
            }

            bytes = bytes[run..];
            position += run;
        }

        return true;
    }

    private static byte[] Create()
    {
        byte[] period = new byte[1_048_573]; // a prime: it falls together with no size of a buffer
        new Random(1).NextBytes(period);
        return period;
    }
}
