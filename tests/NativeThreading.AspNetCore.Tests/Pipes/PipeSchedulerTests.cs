using System.IO.Pipelines;
using System.Runtime.CompilerServices;
using NativeThreading.Tests.Support;

namespace NativeThreading.AspNetCore.Tests.Pipes;

/// <summary>pool.PipeScheduler: order, context, cost, and the end of the pool.</summary>
public sealed class PipeSchedulerTests : IDisposable
{
    private const int Callbacks = 10_000;

    private static readonly AsyncLocal<string?> s_ambient = new();

    private readonly NativeThreadPool _pool = new(new NativeThreadPoolOptions { Name = "pipes", MaxThreads = 4, MaxBlockedThreads = 0 });

    public void Dispose() => _pool.Dispose();

    [Fact]
    public void EachPoolHasOne()
    {
        using var other = new NativeThreadPool();
        Assert.Same(_pool.PipeScheduler, _pool.PipeScheduler);
        Assert.NotSame(_pool.PipeScheduler, other.PipeScheduler);
        Assert.Throws<ArgumentNullException>(() => ((NativeThreadPool)null!).PipeScheduler);
        Assert.Throws<ArgumentNullException>(() => _pool.PipeScheduler.Schedule(null!, null));
    }

    [Fact]
    public void T130_CallbacksOfOneThread_BeginInTheirOrder()
    {
        // A worker may stand still between taking a callback and beginning it, and hold up that one. So whenever one begins,
        // at most the three that the other workers hold are older and have not started.
        int[] order = new int[Callbacks];
        int next = 0;
        using var ended = new CountdownEvent(Callbacks);
        for (int i = 0; i < Callbacks; i++)
        {
            _pool.PipeScheduler.Schedule(
                number =>
                {
                    order[Interlocked.Increment(ref next) - 1] = (int)number!;
                    ended.Signal();
                },
                i);
        }

        Deadline.Wait(ended);
        int newest = 0;
        for (int started = 1; started <= Callbacks; started++)
        {
            newest = Math.Max(newest, order[started - 1] + 1);
            Assert.InRange(newest - started, 0, _pool.MaxThreads - 1);
        }
    }

    [Fact]
    public void T130_OnOneThread_CallbacksRunStrictlyInOrder()
    {
        using var pool = new NativeThreadPool(new NativeThreadPoolOptions { MaxThreads = 1, MaxBlockedThreads = 0 });
        var order = new List<int>();
        using var ended = new CountdownEvent(Callbacks);
        for (int i = 0; i < Callbacks; i++)
        {
            pool.PipeScheduler.Schedule(
                number =>
                {
                    order.Add((int)number!);
                    ended.Signal();
                },
                i);
        }

        Deadline.Wait(ended);
        Assert.Equal(Enumerable.Range(0, Callbacks), order);
    }

    [Fact]
    public void T105_ExecutionContext_DoesNotFlow()
    {
        string? seen = "nothing";
        using var ended = new ManualResetEventSlim();
        s_ambient.Value = "producer";
        _pool.PipeScheduler.Schedule(_ =>
        {
            seen = s_ambient.Value;
            ended.Set();
        }, null);

        Deadline.Wait(ended);
        Assert.Null(seen);
    }

    [Fact]
    public async Task T105_AsyncLocalBeforeAFlush_IsNotVisibleInTheReadersCallback()
    {
        var pipe = new Pipe(new PipeOptions(readerScheduler: _pool.PipeScheduler, useSynchronizationContext: false));
        var seen = new TaskCompletionSource<(string? Ambient, NativeThreadPool? Pool)>(TaskCreationOptions.RunContinuationsAsynchronously);
        using (ExecutionContext.SuppressFlow())
        {
            pipe.Reader.ReadAsync().AsTask().GetAwaiter().UnsafeOnCompleted(() => seen.SetResult((s_ambient.Value, NativeThreadPool.Current)));
        }

        s_ambient.Value = "writer";
        await pipe.Writer.WriteAsync(new byte[1]);

        Assert.Equal((null, _pool), await Deadline.For(seen.Task));
    }

    [Fact]
    public void T105_NothingIsAllocatedForACallback()
    {
        // Each callback schedules the next, all on one thread, whose own counter no other thread moves.
        using var pool = new NativeThreadPool(new NativeThreadPoolOptions { MaxThreads = 1, MaxBlockedThreads = 0 });
        PipeScheduler scheduler = pool.PipeScheduler;
        using var ended = new ManualResetEventSlim();
        int left = 0;
        long before = 0, allocated = 0;
        Action<object?> callback = null!;
        callback = _ =>
        {
            switch (--left)
            {
                case Callbacks:
                    before = GC.GetAllocatedBytesForCurrentThread();
                    break;
                case 0:
                    allocated = GC.GetAllocatedBytesForCurrentThread() - before;
                    ended.Set();
                    return;
            }

            scheduler.Schedule(callback, null);
        };

        Assert.Equal(0, Allocation.Least(() =>
        {
            left = 2 * Callbacks;
            ended.Reset();
            scheduler.Schedule(callback, null);
            Deadline.Wait(ended);
            return allocated;
        }));
    }

    [Fact]
    public async Task Pipe_CarriesAllBytes_WithBothEndsOnThePool()
    {
        var pipe = new Pipe(new PipeOptions(
            readerScheduler: _pool.PipeScheduler, writerScheduler: _pool.PipeScheduler, pauseWriterThreshold: 1024, resumeWriterThreshold: 512, useSynchronizationContext: false));
        const int Total = 1_000_000;
        Task<long> reading = _pool.Run(async () =>
        {
            long sum = 0;
            while (true)
            {
                ReadResult result = await pipe.Reader.ReadAsync();
                foreach (ReadOnlyMemory<byte> segment in result.Buffer)
                {
                    foreach (byte value in segment.Span)
                    {
                        Assert.Equal((byte)sum, value);
                        sum++;
                    }
                }

                pipe.Reader.AdvanceTo(result.Buffer.End);
                if (result.IsCompleted)
                {
                    return sum;
                }
            }
        });

        byte[] chunk = new byte[100];
        for (int sent = 0; sent < Total; sent += chunk.Length)
        {
            for (int i = 0; i < chunk.Length; i++)
            {
                chunk[i] = (byte)(sent + i);
            }

            await Deadline.For(pipe.Writer.WriteAsync(chunk).AsTask());
        }

        await pipe.Writer.CompleteAsync();
        Assert.Equal(Total, await Deadline.For(reading));
    }

    [Fact]
    public async Task AfterTheEndOfThePool_CallbacksRunOnTheRuntimes_InTheirOrder()
    {
        PipeScheduler scheduler = _pool.PipeScheduler;
        await Deadline.For(_pool.ShutdownAsync(CancellationToken.None));
        var ran = new TaskCompletionSource<bool>(TaskCreationOptions.RunContinuationsAsynchronously);

        scheduler.Schedule(_ => ran.SetResult(Thread.CurrentThread.IsThreadPoolThread), null);

        Assert.True(await Deadline.For(ran.Task));
    }

    [Fact]
    public void Pool_IsForgottenWithItsScheduler()
    {
        WeakReference pool = Create();
        Deadline.Until(() =>
        {
            GC.Collect();
            GC.WaitForPendingFinalizers();
            return !pool.IsAlive;
        });

        [MethodImpl(MethodImplOptions.NoInlining)]
        static WeakReference Create()
        {
            var pool = new NativeThreadPool();
            Assert.NotNull(pool.PipeScheduler);
            pool.Dispose();
            return new WeakReference(pool);
        }
    }
}
