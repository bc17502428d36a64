using System.Buffers;
using System.Buffers.Binary;
using System.IO.Pipelines;

namespace NativeThreading.Integration.Pipelines;

/// <summary>Pipes whose readers and writers continue on the pool.</summary>
public abstract class PipeTest : PoolTest
{
    private protected Pipe PipeOnPool(int pause = 65_536) => new(Options(pause));

    private protected PipeOptions Options(int pause = 65_536)
    {
        var scheduler = new PoolPipeScheduler(Pool);
        return new PipeOptions(
            readerScheduler: scheduler,
            writerScheduler: scheduler,
            pauseWriterThreshold: pause,
            resumeWriterThreshold: pause / 2,
            useSynchronizationContext: false);
    }

    /// <summary>Numbers as four bytes each.</summary>
    protected static void Write(PipeWriter writer, int number)
    {
        BinaryPrimitives.WriteInt32LittleEndian(writer.GetSpan(sizeof(int)), number);
        writer.Advance(sizeof(int));
    }

    /// <summary>Takes the whole numbers from the front of the buffer.</summary>
    protected static List<int> Take(ref ReadOnlySequence<byte> buffer)
    {
        List<int> numbers = [];
        var reader = new SequenceReader<byte>(buffer);
        while (reader.TryReadLittleEndian(out int number))
        {
            numbers.Add(number);
        }

        buffer = buffer.Slice(reader.Position);
        return numbers;
    }
}
