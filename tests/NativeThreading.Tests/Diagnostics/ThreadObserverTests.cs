using System.Runtime.CompilerServices;
using NativeThreading.Diagnostics;
using NativeThreading.Platform;
using NativeThreading.Tests.Support;

namespace NativeThreading.Tests.Diagnostics;

/// <summary>What observers see of pools, and that they keep nothing alive.</summary>
public sealed class ThreadObserverTests
{
    [Fact]
    public void Snapshot_TellsThePoolAsItIs()
    {
        using var observer = new ThreadObserver();
        using NativeThreadPool pool = Observed.NewPool("observed", threads: 3, limit: 100);
        using (new BlockedWorkers(pool, 2))
        {
            PoolSnapshot seen = observer.Look(pool);
            Assert.Equal(("observed", 0, 3, 1000, 100), (seen.Name, seen.MinThreads, seen.MaxThreads, seen.MaxBlockedThreads, seen.QueueLimit));
            Assert.False(seen.IsShuttingDown);
            Assert.Equal(2, seen.Workers.Count(static worker => worker.Item is not null));
            Assert.All(seen.Workers, static worker => Assert.StartsWith("observed-worker-", worker.Name, StringComparison.Ordinal));
        }

        Deadline.Until(() => observer.Look(pool).CompletedWorkItemCount == 2);
        Assert.True(observer.Look(pool).Id == observer.Look(pool).Id);
    }

    [Fact]
    public void PoolsAndLoopsThatHaveStopped_Vanish()
    {
        using var observer = new ThreadObserver();
        using (Observed.NewPool("gone"))
        using (new EventLoop(new EventLoopOptions { Name = "gone" }))
        {
            ThreadSnapshot before = observer.TakeSnapshot();
            Assert.Contains(before.Pools, static pool => pool.Name == "gone");
            Assert.Contains(before.Loops, static loop => loop.Name == "gone");
        }

        ThreadSnapshot after = observer.TakeSnapshot();
        Assert.DoesNotContain(after.Pools, static pool => pool.Name == "gone");
        Assert.DoesNotContain(after.Loops, static loop => loop.Name == "gone");
    }

    [Fact]
    public void SnapshotIfChanged_IsNullWhileNothingHappens_AndSeesEachChange()
    {
        using NativeThreadPool pool = Observed.NewPool("resting");
        using var observer = new ThreadObserver(recordsItems: false);
        Rest();
        pool.UnsafeQueueUserWorkItem(static _ => { }, null);
        Changed();
        pool.Resize(3, 7);
        Changed();
        using (new BlockedWorkers(pool, 1))
        {
            Changed();
        }

        Deadline.Until(() => pool.CompletedWorkItemCount == 2); // the blocked item's thread may have no processor yet
        Changed();
        using (new EventLoop())
        {
            Changed();
        }

        Changed();

        void Changed()
        {
            Assert.NotNull(observer.TakeSnapshotIfChanged());
            Rest();
        }

        void Rest() => Deadline.Until(() => observer.TakeSnapshotIfChanged() is null);
    }

    /// <summary>Such a worker ends no park for it, and has completed nothing yet.</summary>
    [Fact]
    public void SnapshotIfChanged_SeesAnItem_ThatALingeringWorkerTakes()
    {
        if (LingerBudget.UsableProcessors == 1)
        {
            return; // no worker lingers
        }

        using var pool = new NativeThreadPool(new NativeThreadPoolOptions { Name = "lingers", MaxThreads = 1, LingerTime = TimeSpan.FromMilliseconds(10) });
        using var observer = new ThreadObserver(recordsItems: false);
        int met = 0;
        for (int i = 0; i < 50 && met < 5; i++) // on a busy machine the worker may park each time
        {
            Deadline.Wait(pool.Run(static () => { }));
            Deadline.Until(() => observer.TakeSnapshotIfChanged() is null);
            met += pool.Probe.IsLingering ? 1 : 0;
            using (new BlockedWorkers(pool, 1))
            {
                Assert.NotNull(observer.TakeSnapshotIfChanged());
            }
        }
    }

    [Fact]
    public void ItemThatWasQueuedBefore_IsNotRecorded_AndOneThatIsQueuedLaterIs()
    {
        using NativeThreadPool pool = Observed.NewPool("before");
        using (new BlockedWorkers(pool, 1))
        {
            using var observer = new ThreadObserver();
            Assert.Null(Assert.Single(observer.Look(pool).Workers).Item);
            using (new BlockedWorkers(pool, 1))
            {
                Assert.Single(observer.Look(pool).Workers, static worker => worker.Item is not null);
            }
        }
    }

    [Fact]
    public void WithoutAnObserver_ItemsHaveNoContextOfTheirOwn()
    {
        using NativeThreadPool pool = Observed.NewPool("unobserved", threads: 1);
        Assert.False(ThreadObserver.RecordsItem);
        Assert.False(Records());
        using (new ThreadObserver())
        using (new ThreadObserver())
        {
            Assert.True(Records());
        }

        Assert.False(Records());

        bool Records()
        {
            bool records = false;
            pool.OnWorker(() => records = ThreadObserver.RecordsItem);
            return records;
        }
    }

    /// <summary>No work waits, so the pool itself does not look for blocked workers.</summary>
    [Fact]
    public void BlockedWorker_IsFound_AndSaysWhatItWaitsIn()
    {
        using var observer = new ThreadObserver();
        using NativeThreadPool pool = Observed.NewPool("blocks");
        using var region = new ManualResetEventSlim();
        using (new BlockedWorkers(pool, 1))
        {
            // By one snapshot of its own, once the thread has come to rest.
            Deadline.Until(() =>
            {
                using var fresh = new ThreadObserver();
                return fresh.TakeSnapshot().Pools.Single(seen => seen.Name == pool.Name).Workers.Any(static worker => worker.State == WorkerState.Blocked);
            });
            WorkerSnapshot blocked = observer.Until(pool, static worker => worker.State == WorkerState.Blocked && worker.InStateFor > TimeSpan.FromMilliseconds(50));
            Assert.True(blocked.Item!.Duration >= TimeSpan.FromMilliseconds(50));
            if (File.Exists("/proc/self/wchan") && File.ReadAllText("/proc/1/wchan") is not ("" or "0"))
            {
                Assert.Matches("^[a-z0-9_]+$", blocked.WaitChannel);
            }
        }

        WorkerSnapshot parked = observer.Until(pool, static worker => worker.State == WorkerState.Parked);
        Assert.Null(parked.Item);
        Assert.Null(parked.WaitChannel);

        pool.UnsafeQueueUserWorkItem(_ =>
        {
            using (NativeThreadPool.EnterBlockingRegion())
            {
                region.Wait(Deadline.Time);
            }
        }, null);
        observer.Until(pool, static worker => worker.State == WorkerState.InBlockingRegion);
        region.Set();
        observer.Until(pool, static worker => worker.State == WorkerState.Parked);
    }

    [Fact]
    public void WorkersThatAreReplaced_AreBackInTheReserve()
    {
        using var observer = new ThreadObserver();
        using NativeThreadPool pool = Observed.NewPool("reserve", threads: 1);
        using (var blocked = new BlockedWorkers(pool, 3))
        {
            blocked.Release();
            observer.Until(pool, static worker => worker.State == WorkerState.InReserve);
        }

        Deadline.Until(() => observer.Look(pool).ReplacementCount > 0); // counted by the monitor, when the thread runs already
    }

    [Fact]
    public void QueueWaits_CountTheItemsSinceTheSnapshotBefore_ForEachObserver()
    {
        using ThreadObserver first = new(), second = new();
        using NativeThreadPool pool = Observed.NewPool("waits");
        Assert.Null(first.Look(pool).QueueWaits);
        Assert.Null(second.Look(pool).QueueWaits);

        Run(3);
        Assert.Equal(3, first.Look(pool).QueueWaits!.Counts.Sum());
        Assert.Null(first.Look(pool).QueueWaits);
        Run(2);
        Assert.Equal(2, first.Look(pool).QueueWaits!.Counts.Sum());
        Assert.Equal(5, second.Look(pool).QueueWaits!.Counts.Sum());

        void Run(int items)
        {
            for (int i = 0; i < items; i++)
            {
                pool.OnWorker(static () => { });
            }
        }
    }

    [Fact]
    public void ItemThatHasRun_IsNotKeptAlive_NorIsWhatItWasQueuedWith()
    {
        using var observer = new ThreadObserver();
        using NativeThreadPool pool = Observed.NewPool("retention");
        WeakReference[] items = RunItems(pool, observer);
        Retention.AssertCollected(items);
        Assert.All(observer.Look(pool).Workers, static worker => Assert.Null(worker.Item));
    }

    [Fact]
    public void Observer_KeepsNoPoolAndNoLoopAlive()
    {
        using var observer = new ThreadObserver();
        Retention.AssertCollected(StopSome(observer));
    }

    [Fact]
    public void DisposedObserver_LooksNoMore()
    {
        var observer = new ThreadObserver();
        observer.Dispose();
        observer.Dispose();
        Assert.Throws<ObjectDisposedException>(observer.TakeSnapshot);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static WeakReference[] RunItems(NativeThreadPool pool, ThreadObserver observer)
    {
        using var release = new ManualResetEventSlim();
        object[] states = [new(), new(), new()];
        pool.UnsafeQueueUserWorkItem(state => Hold(state!), states[0]);
        Task action = pool.Run(() => Hold(states[1]));
        Task operation = pool.Run(async () =>
        {
            Hold(states[2]);
            await Task.Yield();
        });
        Deadline.Until(() => observer.Look(pool).Workers.Count(static worker => worker.Item is not null) >= 2);
        release.Set();
        Deadline.Wait(Task.WhenAll(action, operation));
        pool.WaitUntilQuiet();
        return [.. states.Select(static state => new WeakReference(state))];

        void Hold(object state)
        {
            release.Wait(Deadline.Time);
            GC.KeepAlive(state);
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static WeakReference[] StopSome(ThreadObserver observer)
    {
        NativeThreadPool pool = Observed.NewPool("kept?");
        var loop = new EventLoop(new EventLoopOptions { Name = "kept?" });
        pool.OnWorker(() => { });
        observer.TakeSnapshot();
        pool.Dispose();
        loop.Dispose();
        return [new WeakReference(pool), new WeakReference(loop)];
    }
}
