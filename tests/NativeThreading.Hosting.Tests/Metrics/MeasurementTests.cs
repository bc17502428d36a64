using System.Diagnostics;
using NativeThreading.Hosting.Tests.Support;

namespace NativeThreading.Hosting.Tests.Metrics;

/// <summary>What the instruments say, against what the pool does.</summary>
public sealed class MeasurementTests : IDisposable
{
    private readonly string _name = $"measured-{Guid.NewGuid():N}";
    private readonly MeterRecord _meter = new(scope: null);

    public void Dispose() => _meter.Dispose();

    [Fact]
    public void Threads_AreActiveBlockedOrParked()
    {
        using var pool = NewPool(options => (options.MinThreads, options.MaxThreads) = (3, 3));
        pool.StartMinThreads();
        Deadline.Until(() => Now("thread.active") == 0, "all threads park");
        Assert.Equal((3, 0, 0), Threads);
        bool ends = false;
        using var runs = new ManualResetEventSlim();
        pool.QueueUserWorkItem(_ =>
        {
            runs.Set();
            while (!Volatile.Read(ref ends))
            {
                Thread.SpinWait(50);
            }
        });
        Deadline.Wait(runs);
        Deadline.Until(() => Threads == (3, 1, 0), "one runs");
        using (var release = new ManualResetEventSlim())
        using (var inside = new ManualResetEventSlim())
        {
            Task blocked = pool.Run(
                () =>
                {
                    using (NativeThreadPool.EnterBlockingRegion())
                    {
                        inside.Set();
                        release.Wait(Deadline.Time);
                    }
                },
                CancellationToken.None);
            Deadline.Wait(inside);
            Deadline.Until(() => Threads == (3, 1, 1), "and one is blocked");
            release.Set();
            Deadline.Wait(blocked);
        }

        Volatile.Write(ref ends, true);
        Deadline.Until(() => Threads == (3, 0, 0), "and all park again");
    }

    [Fact]
    public void ThreadsOfLongRunningTasks_AreCountedBesideTheOthers()
    {
        using var pool = NewPool(_ => { });
        using var release = new ManualResetEventSlim();
        Task[] tasks = [.. Enumerable.Range(0, 2).Select(_ =>
            pool.Factory.StartNew(() => Assert.True(release.Wait(Deadline.Time)), TaskCreationOptions.LongRunning))];
        Assert.Equal((2L, 0L), (Now("thread.long_running"), Now("thread.count")));
        release.Set();
        Deadline.Wait(Task.WhenAll(tasks));
        Deadline.Until(() => Now("thread.long_running") == 0, "their threads end");
    }

    [Fact]
    public void ItemsThatWait_AndItemsThatHaveEnded_AreCounted()
    {
        using var pool = NewPool(options => (options.MaxThreads, options.MaxBlockedThreads) = (1, 0));
        using (new StuckItem(pool))
        {
            for (int i = 0; i < 1_000; i++)
            {
                pool.QueueUserWorkItem(_ => { });
            }

            Assert.Equal((1_000, 0), (Now("queue.length"), Now("work_item.count")));
        }

        Deadline.Until(() => (Now("queue.length"), Now("work_item.count")) == (0, 1_001));
    }

    [Fact]
    public void ListenerThatComesLate_SeesTheSame()
    {
        using var pool = NewPool(options => options.MaxThreads = 1);
        pool.QueueUserWorkItem(_ => { });
        Deadline.Until(() => Now("work_item.count") == 1);
        using var late = new MeterRecord(scope: null);
        Assert.Equal(1, late.Now(_name, "work_item.count"));
    }

    [Fact]
    public void ThreadsThatAreWoken_AreCounted()
    {
        using var pool = NewPool(options => (options.MinThreads, options.MaxThreads, options.LingerTime) = (1, 1, TimeSpan.Zero));
        pool.StartMinThreads();
        Assert.Equal(0, Now("wakeups"));
        int items = 0;
        Deadline.Until(() =>
        {
            // A thread that is caught on its way to sleep is spared the wake, so there may be more items than wakes.
            Deadline.Until(() => Now("thread.active") == 0);
            Assert.InRange(Now("wakeups"), 0, items);
            using var ran = new ManualResetEventSlim();
            pool.QueueUserWorkItem(_ => ran.Set());
            items++;
            Deadline.Wait(ran);
            return Now("wakeups") >= 5;
        });
    }

    [Fact]
    public void ItemsTakenFromAnotherThread_AreSteals()
    {
        using var taken = new CountdownEvent(10);
        using var pool = NewPool(options => options.MaxThreads = 2);
        Assert.Equal(0, Now("steals"));
        pool.QueueUserWorkItem(_ =>
        {
            for (int i = 0; i < 10; i++)
            {
                pool.UnsafeQueueUserWorkItem(static taken => taken.Signal(), taken, preferLocal: true);
            }

            taken.Wait(Deadline.Time); // this thread holds on to its own until the other one has taken them
        });
        Deadline.Wait(taken);
        Assert.InRange(Now("steals"), 1, 10);
    }

    [Fact]
    public void BlockedThreads_AreReplaced_AndStarvationIsTimed()
    {
        using var pool = NewPool(options => options.MaxThreads = 1);
        Deadline.Until(() => _meter.All(_name, "starvation.duration").Length != 0 || Starve()); // one that ends within 2 ms is none
        Assert.InRange(_meter.All(_name, "starvation.duration")[0], 0.002, 30);
        Assert.Equal(0, Now("watchdog.recoveries"));

        bool Starve()
        {
            using (new StuckItem(pool))
            {
                using var ran = new ManualResetEventSlim();
                pool.QueueUserWorkItem(_ => ran.Set());
                Deadline.Wait(ran);
                Deadline.Until(() => Now("thread.injected") >= 1); // counted by the monitor, when the thread runs already
                Assert.Equal(1, Now("thread.blocked"));
            }

            return false;
        }
    }

    [Fact]
    public void QueueDuration_IsMeasuredForEachItem_OfAPoolThatWasToldTo()
    {
        using var pool = NewPool(options => (options.MaxThreads, options.MaxBlockedThreads, options.MeasureQueueDuration) = (1, 0, true));
        var asyncLocal = new AsyncLocal<string> { Value = "flows" };
        string? seen = null;
        using (new StuckItem(pool))
        {
            // Each way into the queues; what surrounds an item besides its time is not lost.
            pool.QueueUserWorkItem(_ => seen = asyncLocal.Value);
            pool.UnsafeQueueUserWorkItem(_ => { }, null);
            pool.Run(() => { }, CancellationToken.None);
            var group = new WorkGroup(pool);
            group.QueueRange(static _ => { }, [new object(), new object()]);
            long queued = Stopwatch.GetTimestamp(); // the last of them
            Deadline.Until(() => Stopwatch.GetElapsedTime(queued) > TimeSpan.FromMilliseconds(50));
        }

        Deadline.Until(() => Durations.Length == 6);
        Assert.Equal("flows", seen);
        Assert.InRange(Durations[0], 0, 30); // the stuck item itself
        Assert.All(Durations[1..], duration => Assert.InRange(duration, 0.05, 30));
    }

    [Fact]
    public void QueueDuration_IsMeasuredForLocalItemsAndTheirGroups_WaiterHelping()
    {
        using var pool = NewPool(options => (options.MaxThreads, options.MeasureQueueDuration) = (1, true));
        int ran = 0;
        Deadline.Wait(pool.Run(
            () =>
            {
                var group = new WorkGroup(pool);
                for (int i = 0; i < 5; i++)
                {
                    group.Queue(_ => ran++, i);
                }

                group.Wait(); // the only thread runs them here, or no thread does
            },
            CancellationToken.None));
        Assert.Equal((5, 6), (ran, Durations.Length));
    }

    [Fact]
    public void QueueDuration_OfOtherPools_IsNotMeasured()
    {
        using var pool = NewPool(options => options.MaxThreads = 1);
        pool.QueueUserWorkItem(_ => { });
        Deadline.Until(() => Now("work_item.count") == 1);
        Assert.Empty(Durations);
    }

    [Fact]
    public void PoolThatHasStopped_KeepsItsCounts_UntilAnotherOfItsNameWorks()
    {
        var first = NewPool(options => options.MaxThreads = 1);
        first.QueueUserWorkItem(_ => { });
        first.Dispose();
        Assert.Equal((1, 0), (Now("work_item.count"), Now("thread.count")));
        using var second = NewPool(options => options.MaxThreads = 1);
        Assert.Equal(0, Now("work_item.count"));
        GC.KeepAlive(first);
    }

    [Fact]
    public void PoolsOfOneName_AreAddedUp()
    {
        using var first = NewPool(options => options.MaxThreads = 1);
        using var second = NewPool(options => options.MaxThreads = 1);
        first.QueueUserWorkItem(_ => { });
        second.QueueUserWorkItem(_ => { });
        Deadline.Until(() => Now("work_item.count") == 2);
    }

    private (double Count, double Active, double Blocked) Threads => (Now("thread.count"), Now("thread.active"), Now("thread.blocked"));

    private double[] Durations => _meter.All(_name, "queue.duration");

    private double Now(string instrument) => _meter.Now(_name, instrument);

    private NativeThreadPool NewPool(Action<NativeThreadPoolOptions> configure)
    {
        var options = new NativeThreadPoolOptions { Name = _name };
        configure(options);
        return new NativeThreadPool(options);
    }
}
