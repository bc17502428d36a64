using NativeThreading.Tests.Support;

namespace NativeThreading.Tests.Limits;

/// <summary>QueueFullMode.Reject: what is over the limit is refused, and nothing else is.</summary>
public sealed class RejectTests
{
    public static TheoryData<string> Synchronous => EntryCall.Synchronous;

    public static TheoryData<string> Asynchronous => EntryCall.Asynchronous;

    [Theory, MemberData(nameof(Synchronous))]
    public void CallFromOutside_IsRefusedWhileTheQueueIsFull(string call)
    {
        using NativeThreadPool pool = Limited.Pool(3, QueueFullMode.Reject);
        int ran = 0;
        using (new BlockedWorkers(pool, 1))
        {
            pool.Queue(call, () => ran++);
            pool.Fill(() => ran++);
            var exception = Assert.Throws<QueueFullException>(() => pool.Queue(call, () => ran += 100));
            Assert.Equal(("limited", 3), (exception.PoolName, exception.QueueLimit));
            Assert.Contains("limited", exception.Message, StringComparison.Ordinal);
            Assert.Contains("QueueLimit = 3", exception.Message, StringComparison.Ordinal);
        }

        pool.AssertEmpty();
        Assert.Equal(3, ran);
        pool.Queue(call, () => ran++);
        pool.AssertEmpty();
        Assert.Equal(4, ran);
    }

    [Theory, MemberData(nameof(Synchronous))]
    public void CallFromItsOwnWorker_IsRefusedWhileTheQueueIsFull(string call)
    {
        using NativeThreadPool pool = Limited.Pool(3, QueueFullMode.Reject);
        int ran = 0;
        pool.OnWorker(() =>
        {
            pool.Queue(call, () => ran++);
            pool.Fill(() => ran++);
            Assert.Throws<QueueFullException>(() => pool.Queue(call, () => ran += 100));
        });
        pool.AssertEmpty();
        Assert.Equal(3, ran);
    }

    [Theory, MemberData(nameof(Asynchronous))]
    public async Task AsynchronousCall_FailsInItsTask(string call)
    {
        using NativeThreadPool pool = Limited.Pool(3, QueueFullMode.Reject);
        int ran = 0;
        Task accepted, outside, inside;
        using (new BlockedWorkers(pool, 1))
        {
            accepted = pool.QueueAsync(call, () => ran++, TestContext.Current.CancellationToken);
            pool.Fill(() => ran++);
            outside = pool.QueueAsync(call, () => ran += 100, TestContext.Current.CancellationToken);
        }

        pool.WaitUntilQuiet(); // or there is no permit for the next one
        inside = pool.OnWorker(() =>
        {
            pool.Fill();
            return Task.WhenAll(pool.QueueAsync(call, () => ran += 100));
        });
        await Deadline.For(accepted);
        await Assert.ThrowsAsync<QueueFullException>(() => outside);
        await Assert.ThrowsAsync<QueueFullException>(() => Deadline.For(inside));
        pool.AssertEmpty();
        Assert.Equal(3, ran);
    }

    [Theory]
    [InlineData(QueueFullMode.Reject)]
    [InlineData(QueueFullMode.Wait)]
    [InlineData(QueueFullMode.RunOnCaller)]
    public void TryQueue_IsFalseWhileTheQueueIsFull_InEveryMode(QueueFullMode mode)
    {
        using NativeThreadPool pool = Limited.Pool(1, mode);
        int ran = 0;
        using (new BlockedWorkers(pool, 1))
        {
            Assert.True(pool.TryQueueUserWorkItem(_ => ran++, null));
            Assert.False(pool.TryQueueUserWorkItem(_ => ran += 100, null));
            Assert.False(pool.TryQueueUserWorkItem(_ => ran += 100, 1, preferLocal: true));
        }

        pool.AssertEmpty();
        Assert.Equal(1, ran);
        Assert.False(pool.OnWorker(() =>
            pool.TryQueueUserWorkItem(_ => ran++, 1, preferLocal: true) && pool.TryQueueUserWorkItem(_ => ran += 100, 1, preferLocal: true)));
        pool.AssertEmpty();
        Assert.Equal(2, ran);
    }

    [Fact]
    public void TryQueue_WithoutALimit_IsTrue()
    {
        using NativeThreadPool pool = Pools.WithThreads(1);
        using var ran = new CountdownEvent(2);
        Assert.True(pool.TryQueueUserWorkItem(state => ((CountdownEvent)state!).Signal(), ran));
        Assert.True(pool.TryQueueUserWorkItem(static ran => ran.Signal(), ran, preferLocal: false));
        Deadline.Wait(ran);
    }

    [Fact]
    public void RefusedItems_AreCounted()
    {
        using var meter = new PoolMeter("counted");
        using var pool = new NativeThreadPool(new NativeThreadPoolOptions { Name = "counted", MaxThreads = 1, MaxBlockedThreads = 0, QueueLimit = 1 });
        using (new BlockedWorkers(pool, 1))
        {
            pool.Fill(); // whose last look counts
            Assert.Throws<QueueFullException>(() => pool.QueueUserWorkItem(_ => { }));
            Assert.False(pool.TryQueueUserWorkItem(_ => { }, null));
            Assert.Throws<QueueFullException>(() => new WorkGroup(pool).QueueRange(_ => { }, [1, 2, 3]));
        }

        Assert.Equal(6, meter["work_item.rejected"]);
        Assert.Equal("{work_item}", meter.Units["native_threading.pool.work_item.rejected"]);
    }

    [Fact]
    public void RefusedRun_LeavesNothingBehindInItsToken()
    {
        using var source = new CancellationTokenSource();
        using NativeThreadPool pool = Limited.Pool(1, QueueFullMode.Reject);
        using (new BlockedWorkers(pool, 1))
        {
            pool.Fill();
            WeakReference action = RefusedAction(pool, source.Token);
            Retention.AssertCollected(action);
        }
    }

    private static WeakReference RefusedAction(NativeThreadPool pool, CancellationToken token)
    {
        object captured = new();
        Action action = () => GC.KeepAlive(captured);
        Action run = () => pool.Run(action, token);
        Assert.Throws<QueueFullException>(run);
        Assert.True(pool.RunAsync(action, token).IsFaulted);
        return new WeakReference(captured);
    }
}
