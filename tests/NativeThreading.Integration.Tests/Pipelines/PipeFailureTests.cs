using System.IO.Pipelines;

namespace NativeThreading.Integration.Pipelines;

/// <summary>Ends with an exception, cancelled reads and flushes.</summary>
public sealed class PipeFailureTests : PipeTest
{
    [Fact]
    public async Task WritersException_IsThrownByTheReadOnThePool()
    {
        await Pool.StormAsync(Operations, async i =>
        {
            Pipe pipe = PipeOnPool();
            Task read = Task.Factory.StartNew(
                async () =>
                {
                    await Assert.ThrowsAsync<InvalidTimeZoneException>(async () => await pipe.Reader.ReadAsync());
                    Trace.NoteThread();
                },
                CancellationToken.None,
                TaskCreationOptions.DenyChildAttach,
                Pool.Scheduler).Unwrap();
            await pipe.Writer.CompleteAsync(new InvalidTimeZoneException($"{i}"));
            await read;
        });
        Trace.AssertOnThePool(Operations);
    }

    [Fact]
    public async Task CancelledTokens_EndReadsAndFlushesOnThePool()
    {
        using var cancellation = new CancellationTokenSource();
        using var started = new CountdownEvent(Operations);
        Task storm = Pool.StormAsync(Operations, async i =>
        {
            Pipe pipe = PipeOnPool(pause: 4);
            Task pending;
            if (i % 2 == 0)
            {
                pending = pipe.Reader.ReadAsync(cancellation.Token).AsTask();
            }
            else
            {
                Write(pipe.Writer, i);
                pending = pipe.Writer.FlushAsync(cancellation.Token).AsTask();
            }

            Assert.False(pending.IsCompleted);
            started.Signal();
            await Assert.ThrowsAnyAsync<OperationCanceledException>(() => pending);
            Trace.Note();
        });
        Deadline.Wait(started);
        await cancellation.CancelAsync();
        await storm;
        Trace.AssertOnThePool(Operations);
    }

    [Fact]
    public async Task CancelPending_EndsTheReadWithoutAnException()
    {
        Pipe pipe = PipeOnPool();
        Task<bool> read = Pool.Run(async () =>
        {
            ReadResult result = await pipe.Reader.ReadAsync();
            Trace.NoteThread();
            return result.IsCanceled;
        });
        pipe.Reader.CancelPendingRead(); // also where it comes before the read
        Assert.True(await Deadline.For(read));
        Trace.AssertOnThePool(1);
    }

    [Fact]
    public async Task ReaderThatIsDone_EndsTheWriter()
    {
        Pipe pipe = PipeOnPool(pause: 4);
        Task<bool> flush = Pool.Run(async () =>
        {
            Write(pipe.Writer, 1);
            FlushResult result = await pipe.Writer.FlushAsync();
            Trace.NoteThread();
            return result.IsCompleted;
        });
        await pipe.Reader.CompleteAsync();
        Assert.True(await Deadline.For(flush));
        Trace.AssertOnThePool(1);
    }
}
