using System.Diagnostics;
using NativeThreading.Tests.Support;

namespace NativeThreading.Tests.Diagnostics;

/// <summary>The age of the item that has waited longest.</summary>
public sealed class OldestWorkItemAgeTests
{
    private static readonly TimeSpan s_while = TimeSpan.FromMilliseconds(300);

    [Fact]
    public void PoolWithoutWork_HasNoAge()
    {
        using var pool = new NativeThreadPool();
        Assert.Equal(TimeSpan.Zero, pool.OldestWorkItemAge);
        pool.OnWorker(() => { });
        pool.WaitUntilQuiet();
        Assert.Equal(TimeSpan.Zero, pool.OldestWorkItemAge);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void ItemBehindLongItemsThatUseTheCpu_GrowsOlder_WithoutAnybodyAsking(bool asks)
    {
        bool ends = false;
        using var busy = new CountdownEvent(2);
        using var pool = new NativeThreadPool(new NativeThreadPoolOptions { MaxThreads = 2 });
        for (int i = 0; i < 2; i++)
        {
            pool.QueueUserWorkItem(_ =>
            {
                busy.Signal();
                while (!Volatile.Read(ref ends))
                {
                    Thread.SpinWait(50);
                }
            });
        }

        try
        {
            Deadline.Wait(busy);
            pool.QueueUserWorkItem(_ => { });
            long queued = Stopwatch.GetTimestamp();
            Deadline.Until(() => (!asks || pool.OldestWorkItemAge >= TimeSpan.Zero) && Stopwatch.GetElapsedTime(queued) > s_while);

            // The monitor's looks are a tenth of a second apart, and it may be late on a busy machine.
            Deadline.Until(() => pool.OldestWorkItemAge > s_while);
            Assert.True(pool.OldestWorkItemAge <= Stopwatch.GetElapsedTime(queued) + TimeSpan.FromMilliseconds(50));
        }
        finally
        {
            Volatile.Write(ref ends, true);
        }

        Deadline.Until(() => pool.OldestWorkItemAge == TimeSpan.Zero);
    }

    [Fact]
    public void LocalItemOfABlockedThread_GrowsOlder()
    {
        using var release = new ManualResetEventSlim();
        using var queued = new ManualResetEventSlim();
        using var pool = new NativeThreadPool(new NativeThreadPoolOptions { MaxThreads = 1, MaxBlockedThreads = 0 });
        pool.QueueUserWorkItem(_ =>
        {
            pool.UnsafeQueueUserWorkItem<object?>(static _ => { }, null, preferLocal: true);
            queued.Set();
            release.Wait(Deadline.Time);
        });
        Deadline.Wait(queued);
        Deadline.Until(() => pool.OldestWorkItemAge > s_while);
        release.Set();
    }

    /// <summary>One item passes after the other, each into the place of the last one: nothing waits.</summary>
    [Fact]
    public void ItemsThatPassOneByOne_NeverLookOld()
    {
        using var ended = new ManualResetEventSlim();
        using var pool = new NativeThreadPool(new NativeThreadPoolOptions { MaxThreads = 1 });
        long began = Stopwatch.GetTimestamp();
        Step(null);
        TimeSpan oldest = TimeSpan.Zero;
        while (!ended.IsSet)
        {
            TimeSpan age = pool.OldestWorkItemAge;
            oldest = age > oldest ? age : oldest;
        }

        // On a busy machine that thread may lose its CPU for a while, and an item does wait then; taken for one item, they
        // would be as old as all of it.
        Assert.InRange(oldest, TimeSpan.Zero, 3 * s_while);

        void Step(object? state)
        {
            if (Stopwatch.GetElapsedTime(began) > 4 * s_while)
            {
                ended.Set();
                return;
            }

            pool.UnsafeQueueUserWorkItem(Step, state, preferLocal: true);
        }
    }

    [Fact]
    public void EveryThreadBlocked_IsTimed_UntilOneRuns()
    {
        using var release = new ManualResetEventSlim();
        using var inside = new CountdownEvent(2);
        using var pool = new NativeThreadPool(new NativeThreadPoolOptions { MaxThreads = 2, MaxBlockedThreads = 0 });
        Assert.Equal(TimeSpan.Zero, pool.AllThreadsBlockedDuration);
        for (int i = 0; i < 2; i++)
        {
            pool.QueueUserWorkItem(_ =>
            {
                using (NativeThreadPool.EnterBlockingRegion())
                {
                    inside.Signal();
                    release.Wait(Deadline.Time);
                }
            });
        }

        Deadline.Wait(inside);
        Deadline.Until(() => pool.AllThreadsBlockedDuration > s_while);
        release.Set();
        Deadline.Until(() => pool.AllThreadsBlockedDuration == TimeSpan.Zero);
    }

    [Fact]
    public void OneThreadThatRuns_MeansNotAllAreBlocked()
    {
        using var release = new ManualResetEventSlim();
        using var inside = new ManualResetEventSlim();
        using var pool = new NativeThreadPool(new NativeThreadPoolOptions { MaxThreads = 2, MinThreads = 2, MaxBlockedThreads = 0 });
        pool.StartMinThreads();
        pool.QueueUserWorkItem(_ =>
        {
            using (NativeThreadPool.EnterBlockingRegion())
            {
                inside.Set();
                release.Wait(Deadline.Time);
            }
        });
        Deadline.Wait(inside);
        pool.OnWorker(() => { });
        Assert.Equal((1, TimeSpan.Zero), (pool.BlockedThreadCount, pool.AllThreadsBlockedDuration));
        release.Set();
    }
}
