using NativeThreading.Diagnostics;
using NativeThreading.Tests.Support;

namespace NativeThreading.Tests.Diagnostics;

/// <summary>For how long a thread has been blocked is known although no observer existed when that began.</summary>
public sealed class BlockedAgeTests
{
    [Fact]
    public void BlockedBeforeTheObserver_HasTheAgeOfTheProof_AndIsAtLeastThatOld()
    {
        using var pool = new NativeThreadPool(new NativeThreadPoolOptions { Name = "old", MaxThreads = 1, MaxBlockedThreads = 0 });
        using var occupied = new BlockedWorkers(pool, 1);
        pool.UnsafeQueueUserWorkItem(static _ => { }, null); // the pool looks for blocked threads while work waits
        Deadline.Until(() => pool.AllThreadsBlockedDuration.TotalMilliseconds > 100);

        using var observer = new ThreadObserver(recordsItems: false);
        WorkerSnapshot first = WorkerOf(observer, pool);
        Assert.Equal((WorkerState.Blocked, true), (first.State, first.IsAtLeast));
        Assert.InRange(first.InStateFor!.Value.TotalMilliseconds, 90, Deadline.Time.TotalMilliseconds);
        WorkerSnapshot second = WorkerOf(observer, pool);
        Assert.True(second.IsAtLeast);
        Assert.True(second.InStateFor > first.InStateFor);
    }

    [Fact]
    public void RecordAlways_KnowsWhatRunsBeforeTheObserver()
    {
        using var pool = new NativeThreadPool(new NativeThreadPoolOptions { Name = "recorded", MaxThreads = 1, RecordItems = ItemRecording.Always });
        using var occupied = new BlockedWorkers(pool, 1);
        using var observer = new ThreadObserver(recordsItems: false);
        Assert.NotNull(WorkerOf(observer, pool).Item);
    }

    [Fact]
    public void WithoutRecording_AnObserverSeesStatesAndNoItems()
    {
        using var pool = new NativeThreadPool(new NativeThreadPoolOptions { Name = "unrecorded", MaxThreads = 1 });
        using var observer = new ThreadObserver(recordsItems: false);
        using var occupied = new BlockedWorkers(pool, 1);
        Assert.Null(WorkerOf(observer, pool).Item);
        Deadline.Until(() => WorkerOf(observer, pool).State == WorkerState.Blocked);
    }

    private static WorkerSnapshot WorkerOf(ThreadObserver observer, NativeThreadPool pool) =>
        Assert.Single(observer.TakeSnapshot().Pools.Single(snapshot => snapshot.Name == pool.Name).Workers);
}
