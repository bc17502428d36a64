using System.Globalization;
using System.Text;

namespace NativeThreading.Workloads.Http;

/// <summary>Counts answers in a stream in which all are as long as the first one, without looking at each byte.</summary>
internal sealed class PipelinedAnswers
{
    private static readonly byte[] s_begin = "HTTP/1.1 200 "u8.ToArray();

    private readonly int _length;
    private int _offset; // in the answer that has started

    /// <param name="first">The first answer, whole: see <see cref="LengthOf"/>.</param>
    public PipelinedAnswers(ReadOnlySpan<byte> first) => _length = first.Length;

    /// <summary>The length of the answer that these bytes begin with; 0: it is not there as a whole.</summary>
    /// <exception cref="MeasurementException">It does not say how long it is.</exception>
    public static int LengthOf(ReadOnlySpan<byte> bytes)
    {
        int end = bytes.IndexOf("\r\n\r\n"u8);
        if (end < 0)
        {
            return 0;
        }

        string head = Encoding.ASCII.GetString(bytes[..end]);
        const string Name = "Content-Length:";
        string? line = head.Split("\r\n").FirstOrDefault(static line => line.StartsWith(Name, StringComparison.OrdinalIgnoreCase));
        if (line is null)
        {
            throw new MeasurementException($"an answer does not say how long it is: '{head}'.");
        }

        int length = end + 4 + int.Parse(line[Name.Length..], NumberStyles.AllowLeadingWhite, CultureInfo.InvariantCulture);
        return length <= bytes.Length ? length : 0;
    }

    /// <summary>How many answers end in these bytes, which follow those of the call before.</summary>
    /// <exception cref="MeasurementException">One of them is not as it should be.</exception>
    public int Count(ReadOnlySpan<byte> bytes)
    {
        int ended = 0;
        while (!bytes.IsEmpty)
        {
            if (_offset < s_begin.Length)
            {
                int known = Math.Min(s_begin.Length - _offset, bytes.Length);
                if (!bytes[..known].SequenceEqual(s_begin.AsSpan(_offset, known)))
                {
                    throw new MeasurementException($"an answer begins with '{Encoding.ASCII.GetString(bytes[..known])}'.");
                }
            }

            int taken = Math.Min(_length - _offset, bytes.Length);
            bytes = bytes[taken..];
            _offset = (_offset + taken) % _length;
            ended += _offset == 0 ? 1 : 0;
        }

        return ended;
    }
}
