using NativeThreading.Tests.Support;

namespace NativeThreading.Tests.Loops;

/// <summary>A group with results.</summary>
public sealed class WorkGroupOfResultsTests
{
    [Fact]
    public async Task Results_ComeInTheOrderOfTheCalls_AndTheGroupCanBeUsedAgain()
    {
        using NativeThreadPool pool = Pools.WithThreads(3);
        var group = new WorkGroup<int>(pool);
        for (int round = 0; round < 3; round++)
        {
            for (int i = 0; i < 200; i++)
            {
                group.Queue(static i => i * i, i);
            }

            int[] results = round == 1 ? await Deadline.For(group.WaitAsync(CancellationToken.None)) : group.Wait();
            Assert.Equal(Enumerable.Range(0, 200).Select(static i => i * i), results);
        }

        Assert.Empty(group.Wait());
        Assert.Equal((0L, pool), (group.PendingCount, group.Pool));
        Assert.Throws<ArgumentNullException>("function", () => group.Queue<int>(null!, 0));
        Assert.Throws<ArgumentNullException>("function", () => group.TryQueue<int>(null!, 0));
    }

    [Fact]
    public void Failures_ComeAsFromAGroup_AndTheResultsAreDropped()
    {
        using NativeThreadPool pool = Pools.WithThreads(2);
        foreach (WorkGroupErrors errors in Enum.GetValues<WorkGroupErrors>())
        {
            var group = new WorkGroup<int>(pool, errors);
            group.Queue(static _ => 1, 0);
            group.Queue<int>(static _ => throw new FormatException(), 0);
            Exception? exception = Record.Exception(() => group.Wait());
            Assert.IsType<FormatException>(errors == WorkGroupErrors.All ? Assert.IsType<AggregateException>(exception).InnerException : exception);
            group.Queue(static _ => 2, 0);
            Assert.Equal([2], group.Wait());
        }
    }

    [Fact]
    public void Token_KeepsFurtherFunctionsFromStarting()
    {
        using NativeThreadPool pool = Pools.WithThreads(1);
        using var source = new CancellationTokenSource();
        var group = new WorkGroup<int>(pool, WorkGroupErrors.First, source.Token);
        int ran = 0;
        using var gate = new ManualResetEventSlim();
        pool.QueueUserWorkItem(_ => Deadline.Wait(gate));
        for (int i = 0; i < 10; i++)
        {
            group.Queue(
                i =>
                {
                    ran++;
                    source.Cancel();
                    return i;
                },
                i);
        }

        gate.Set();
        Assert.Equal(source.Token, Assert.Throws<OperationCanceledException>(() => group.Wait()).CancellationToken);
        Assert.Equal(1, ran);
    }

    [Theory]
    [InlineData(QueueFullMode.Reject)]
    [InlineData(QueueFullMode.Wait)]
    [InlineData(QueueFullMode.RunOnCaller)]
    public void TryQueue_ReturnsFalseIfTheQueueIsFull_InEachMode(QueueFullMode mode)
    {
        using var pool = new NativeThreadPool(new NativeThreadPoolOptions
        {
            MaxThreads = 1,
            MaxBlockedThreads = 0,
            QueueLimit = 1,
            QueueFullMode = mode,
        });
        using var gate = new ManualResetEventSlim();
        using var entered = new ManualResetEventSlim();
        pool.QueueUserWorkItem(_ =>
        {
            entered.Set();
            Deadline.Wait(gate);
        });
        Deadline.Wait(entered);
        var group = new WorkGroup<int>(pool);
        var plain = new WorkGroup(pool);
        Assert.True(group.TryQueue(static i => i, 1));
        Assert.False(group.TryQueue(static i => i, 2));
        Assert.False(plain.TryQueue(static _ => { }, 0));
        Assert.Equal((1L, 0L), (group.PendingCount, plain.PendingCount));
        gate.Set();
        Assert.Equal([1], group.Wait());
        Deadline.Wait(pool.Run(
            () =>
            {
                Assert.True(plain.TryQueue(static _ => { }, 0) && plain.TryQueue(static _ => { }, 0)); // a worker's own deque is never full
                plain.Wait();
            },
            CancellationToken.None));
    }

    [Fact]
    public void DrainingPool_RunsTheFunctionsThatItsItemsQueue()
    {
        NativeThreadPool pool = Pools.WithThreads(1);
        using var entered = new ManualResetEventSlim();
        using var drains = new ManualResetEventSlim();
        Task<int[]> results = pool.Run(
            () =>
            {
                entered.Set();
                Deadline.Wait(drains);
                var group = new WorkGroup<int>(pool);
                group.Queue(static i => i, 1);
                Assert.True(group.TryQueue(static i => i, 2));
                return group.Wait();
            },
            CancellationToken.None);
        Deadline.Wait(entered);
        Task<long> stopped = pool.ShutdownAsync(CancellationToken.None);
        drains.Set();
        Assert.Equal([1, 2], Deadline.Result(results));
        Assert.Equal(0, Deadline.Result(stopped));
    }

    [Fact]
    public void StopByToken_CancelsTheWait()
    {
        NativeThreadPool pool = Pools.WithThreads(1);
        var group = new WorkGroup<int>(pool);
        using (new BlockedWorkers(pool, 1))
        {
            group.Queue(static i => i, 1);
            Assert.Equal(1, Deadline.Result(pool.ShutdownAsync(new CancellationToken(canceled: true))));
            Assert.ThrowsAny<OperationCanceledException>(() => group.Wait());
            Assert.Empty(group.Wait());
        }
    }

    [Fact]
    public void ShutDownPool_RejectsFunctions()
    {
        NativeThreadPool pool = Pools.WithThreads(1);
        var group = new WorkGroup<int>(pool);
        pool.Dispose();
        Assert.Throws<ObjectDisposedException>(() => group.Queue(static i => i, 1));
        Assert.Throws<ObjectDisposedException>(() => group.TryQueue(static i => i, 1));
        Assert.Empty(group.Wait());
    }
}
