using System.Buffers;
using System.IO.Pipelines;

namespace NativeThreading.Integration.Pipelines;

/// <summary>A thousand pipes at once, and what they keep.</summary>
public sealed class PipeTests : PipeTest
{
    private const int Numbers = 40;

    [Fact]
    public async Task ThousandPipes_CarryEveryByteInOrderAndStayOnThePool()
    {
        Pipe[] pipes = [.. Enumerable.Range(0, Operations).Select(_ => PipeOnPool(pause: 16))];
        Task writers = Pool.StormAsync(Operations, i => WriteAllAsync(pipes[i].Writer));
        List<int>[] read = await Pool.StormAsync(Operations, i => ReadAllAsync(pipes[i].Reader));
        await writers;
        Assert.All(read, numbers => Assert.Equal(Enumerable.Range(0, Numbers), numbers));
        Trace.AssertOnThePool(Operations * (Numbers + Numbers));
    }

    /// <summary>A pipe with default options looks for a context, which operations of Run have.</summary>
    [Fact]
    public async Task T109_PipeWithDefaultOptions_KeepsItsReaderOnThePoolWithItsContext()
    {
        await AssertResumesAsync(new Pipe(), Pool, comesBack: true);
    }

    /// <summary>Without a context it resumes through its own scheduler and not through the awaiting task's: by default on the built-in pool.</summary>
    [Fact]
    public async Task T109_PipeWithoutOurScheduler_TakesItsReaderToTheRuntimesPool()
    {
        var pipe = new Pipe(new PipeOptions(useSynchronizationContext: false));
        await AssertResumesAsync(pipe, null, comesBack: false);
    }

    /// <summary>With our scheduler the reader stays, but as a raw item: its next await of a task leaves, unless it switches.</summary>
    [Fact]
    public async Task T109_PipeOnOurScheduler_KeepsItsReaderOnThePoolWithoutAContext()
    {
        await AssertResumesAsync(PipeOnPool(), Pool, comesBack: false);
    }

    [Fact]
    public async Task SwitchTo_BringsTheReaderBack()
    {
        Pipe pipe = PipeOnPool();
        await Deadline.For(Pool.Run(async () =>
        {
            ValueTask<ReadResult> pending = pipe.Reader.ReadAsync();
            Assert.False(pending.IsCompleted);
            Write(pipe.Writer, 1);
            Task<FlushResult> flush = FlushElsewhere(pipe.Writer);
            await pending;
            Trace.NoteThread();
            await Pool.SwitchTo();
            Trace.Note();
            await flush;
            Trace.Note();
        }));
        Trace.AssertOnThePool(3);
    }

    [Fact]
    public Task RepeatedRounds_LeaveNothingBehind() => Growth.AssertNoneAsync(200, held => Pool.StormAsync(held.Length, async i =>
    {
        object token = held[i];
        Pipe pipe = PipeOnPool(pause: 16);
        await Task.WhenAll(WriteAllAsync(pipe.Writer), ReadAllAsync(pipe.Reader));
        GC.KeepAlive(token);
    }));

    private static Task<FlushResult> FlushElsewhere(PipeWriter writer) => Task.Run(async () => await writer.FlushAsync());

    private async Task AssertResumesAsync(Pipe pipe, NativeThreadPool? where, bool comesBack)
    {
        long before = Pool.CompletedWorkItemCount;
        Task<(NativeThreadPool?, bool)> seen = Pool.Run(async () =>
        {
            await pipe.Reader.ReadAsync();
            return (NativeThreadPool.Current, Pool.SwitchTo().GetAwaiter().IsCompleted);
        });
        Deadline.Until(() => Pool.CompletedWorkItemCount > before); // the reader has left its thread: what is written resumes it
        Write(pipe.Writer, 1);
        await pipe.Writer.FlushAsync();
        Assert.Equal((where, comesBack), await Deadline.For(seen));
    }

    private async Task WriteAllAsync(PipeWriter writer)
    {
        for (int i = 0; i < Numbers; i++)
        {
            Write(writer, i);
            await writer.FlushAsync();
            Trace.NoteThread();
        }

        await writer.CompleteAsync();
    }

    private async Task<List<int>> ReadAllAsync(PipeReader reader)
    {
        List<int> numbers = [];
        while (true)
        {
            ReadResult result = await reader.ReadAsync();
            ReadOnlySequence<byte> buffer = result.Buffer;
            List<int> taken = Take(ref buffer);
            taken.ForEach(_ => Trace.NoteThread());
            numbers.AddRange(taken);
            reader.AdvanceTo(buffer.Start, buffer.End);
            if (result.IsCompleted)
            {
                await reader.CompleteAsync();
                return numbers;
            }
        }
    }
}
