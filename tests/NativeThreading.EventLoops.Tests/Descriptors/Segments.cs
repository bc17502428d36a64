using System.Buffers;

namespace NativeThreading.Tests.EventLoops.Descriptors;

/// <summary>Sequences of many segments.</summary>
internal sealed class Segments : ReadOnlySequenceSegment<byte>
{
    private Segments(ReadOnlyMemory<byte> memory) => Memory = memory;

    /// <summary>The bytes, spread over that many segments of about equal size; where there are fewer bytes, some are empty.</summary>
    public static ReadOnlySequence<byte> Of(byte[] bytes, int segments) =>
        Of([.. Enumerable.Range(0, segments).Select(i => new ReadOnlyMemory<byte>(
            bytes,
            (int)((long)i * bytes.Length / segments),
            (int)(((long)(i + 1) * bytes.Length / segments) - ((long)i * bytes.Length / segments))))]);

    public static ReadOnlySequence<byte> Of(params ReadOnlyMemory<byte>[] memories)
    {
        var first = new Segments(memories[0]);
        Segments last = first;
        foreach (ReadOnlyMemory<byte> memory in memories.AsSpan(1))
        {
            var next = new Segments(memory) { RunningIndex = last.RunningIndex + last.Memory.Length };
            last.Next = next;
            last = next;
        }

        return new ReadOnlySequence<byte>(first, 0, last, last.Memory.Length);
    }
}
