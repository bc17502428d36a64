using System.IO.Pipelines;

namespace NativeThreading.Integration.Pipelines;

/// <summary>What a pipe needs of a scheduler.</summary>
public sealed class PipeSchedulingTests : PipeTest
{
    [Fact]
    public async Task T105_AmbientValuesOfTheFlusher_DoNotReachTheReader()
    {
        var local = new AsyncLocal<string> { Value = "reader" };
        Pipe pipe = PipeOnPool();
        Task<string?> reader = Read();
        Deadline.Wait(Task.Run(async () =>
        {
            local.Value = "writer";
            Write(pipe.Writer, 1);
            await pipe.Writer.FlushAsync();
        }));
        Assert.Equal("reader", await Deadline.For(reader));

        async Task<string?> Read()
        {
            await pipe.Reader.ReadAsync();
            return local.Value; // its own, which the async method carries, and not the one of the thread that flushed
        }
    }

    [Fact]
    public void T105_Schedule_DoesNotCaptureAndDoesNotAllocate()
    {
        var scheduler = new PoolPipeScheduler(Pool);
        var local = new AsyncLocal<string?> { Value = "caller" };
        using var ran = new CountdownEvent(Operations);
        int leaked = 0;
        Action<object?> callback = _ =>
        {
            Interlocked.Add(ref leaked, local.Value is null ? 0 : 1);
            ran.Signal();
        };
        for (int round = 0; round < 5; round++) // the lane's segments are made once
        {
            ScheduleAll();
        }

        Assert.Equal((0, 0L), (leaked, Enumerable.Range(0, 5).Min(_ => ScheduleAll())));

        long ScheduleAll()
        {
            ran.Reset();
            long before = GC.GetAllocatedBytesForCurrentThread();
            for (int i = 0; i < Operations; i++)
            {
                scheduler.Schedule(callback, this);
            }

            long allocated = GC.GetAllocatedBytesForCurrentThread() - before;
            Deadline.Wait(ran);
            return allocated;
        }
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void T130_CallbacksOfOneThread_BeginInOrder(bool fromAWorker)
    {
        // One worker makes the order of beginning visible. The pool of the test has more, for which only the taking is ordered.
        using var pool = new NativeThreadPool(new NativeThreadPoolOptions { MaxThreads = 1, MaxBlockedThreads = 0 });
        var scheduler = new PoolPipeScheduler(pool);
        List<int> order = [];
        using var done = new ManualResetEventSlim();
        Action schedule = () =>
        {
            for (int i = 0; i < Operations; i++)
            {
                scheduler.Schedule(state => order.Add((int)state!), i);
            }

            scheduler.Schedule(_ => done.Set(), null);
        };
        if (fromAWorker)
        {
            pool.QueueUserWorkItem(_ => schedule());
        }
        else
        {
            schedule();
        }

        Deadline.Wait(done);
        Assert.Equal(Enumerable.Range(0, Operations), order);
    }

    [Fact]
    public async Task T130_AFullPipe_StopsItsWriterUntilTheReaderHasTaken()
    {
        Pipe pipe = PipeOnPool(pause: 64);
        int written = 0;
        Task writer = Pool.Run(async () =>
        {
            for (int i = 0; i < Operations; i++)
            {
                Write(pipe.Writer, i);
                Volatile.Write(ref written, i + 1);
                await pipe.Writer.FlushAsync();
                Trace.NoteThread();
            }

            await pipe.Writer.CompleteAsync();
        });
        List<int> read = [];
        int ahead = 0;
        await Deadline.For(Pool.Run(async () =>
        {
            while (read.Count < Operations)
            {
                ReadResult result = await pipe.Reader.ReadAsync();
                Trace.NoteThread();
                System.Buffers.ReadOnlySequence<byte> buffer = result.Buffer;

                // Nothing of this result is taken yet: at most a full pipe and the number being written.
                ahead = Math.Max(ahead, Volatile.Read(ref written) - read.Count);
                read.AddRange(Take(ref buffer));
                pipe.Reader.AdvanceTo(buffer.Start, buffer.End);
            }
        }));
        await Deadline.For(writer);
        Assert.Equal(Enumerable.Range(0, Operations), read);
        Assert.InRange(ahead, 1, (64 / sizeof(int)) + 1);
    }
}
