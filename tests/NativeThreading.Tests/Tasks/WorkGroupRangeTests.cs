using System.Diagnostics;
using System.Globalization;
using NativeThreading.Tests.Limits;
using NativeThreading.Tests.Support;
using NativeThreading.Tuning;

namespace NativeThreading.Tests.Tasks;

/// <summary>What <see cref="WorkGroup.QueueRange"/> queues from outside is one entry of the queue, and in all else as many items.</summary>
public sealed class WorkGroupRangeTests
{
    private const int Items = 100;

    private static readonly TimeSpan s_while = TimeSpan.FromMilliseconds(2);

    public static TheoryData<int> Sizes() =>
    [
        1, QueueTuning.ShortestRange - 1, QueueTuning.ShortestRange, QueueTuning.ShortestRange + 1,
        QueueTuning.LongestRange, QueueTuning.LongestRange + 1, (2 * QueueTuning.LongestRange) + QueueTuning.ShortestRange,
    ];

    [Theory]
    [MemberData(nameof(Sizes))]
    public void EachState_RunsOnce_InOrderOnOneWorker(int count)
    {
        using NativeThreadPool pool = Pools.WithThreads(1);
        var group = new WorkGroup(pool);
        var values = new List<int>();
        var references = new List<string>();
        int[] numbers = [.. Enumerable.Range(0, count)];
        string[] names = [.. numbers.Select(static number => $"{number}")];
        using (new BlockedWorkers(pool, 1))
        {
            group.QueueRange(values.Add, numbers);
            group.QueueRange(references.Add, names);
            Assert.Equal(2 * count, pool.PendingWorkItemCount);
        }

        Assert.True(group.Wait(Deadline.Time));
        Assert.Equal(numbers, values);
        Assert.Equal(names, references);
        pool.WaitUntilQuiet();
        Assert.Equal((2 * count) + 1, pool.CompletedWorkItemCount);
    }

    [Fact]
    public void ItemsOfOneProducer_KeepTheirOrder_RangeOrNot()
    {
        using NativeThreadPool pool = Pools.WithThreads(1);
        var group = new WorkGroup(pool);
        var seen = new List<int>();
        using (new BlockedWorkers(pool, 1))
        {
            pool.UnsafeQueueUserWorkItem(_ => seen.Add(-1), null);
            group.QueueRange(seen.Add, [.. Enumerable.Range(0, Items)]);
            pool.UnsafeQueueUserWorkItem(_ => seen.Add(Items), null);
            group.QueueRange(seen.Add, [.. Enumerable.Range(Items + 1, Items)]);
        }

        pool.WaitUntilQuiet();
        Assert.Equal(Enumerable.Range(-1, (2 * Items) + 2), seen);
    }

    [Fact]
    public void ItemThatBlocks_HoldsUpNoOther()
    {
        using NativeThreadPool pool = Pools.WithThreads(2);
        var group = new WorkGroup(pool);
        using var others = new CountdownEvent(Items - 1);
        group.QueueRange(
            number =>
            {
                if (number == 0)
                {
                    Deadline.Wait(others);
                }
                else
                {
                    others.Signal();
                }
            },
            [.. Enumerable.Range(0, Items)]);
        Assert.True(group.Wait(Deadline.Time));
    }

    [Fact]
    public void EachIdleWorker_IsWokenForItsShare()
    {
        const int threads = 4;
        using NativeThreadPool pool = Pools.WithThreads(threads);
        var group = new WorkGroup(pool);
        using var meeting = new Barrier(threads);
        group.QueueRange(_ => Assert.True(meeting.SignalAndWait(Deadline.Time)), new int[5 * threads]);
        group.Wait();
    }

    [Fact]
    public void ItemsThatWaitForTheLastOne_GetThreads()
    {
        const int items = 20;
        using var pool = new NativeThreadPool(new NativeThreadPoolOptions { MaxThreads = 1 });
        var group = new WorkGroup(pool);
        using var started = new CountdownEvent(items);
        group.QueueRange(
            _ =>
            {
                started.Signal();
                Deadline.Wait(started);
            },
            new int[items]);
        group.Wait();
    }

    [Fact]
    public void WhileAnItemBlocks_TheCountsAreExact_AndBehindTheLastOneNothingIsOld()
    {
        using NativeThreadPool pool = Pools.WithThreads(1);
        var group = new WorkGroup(pool);
        using var started = new SemaphoreSlim(0);
        using var release = new SemaphoreSlim(0);
        group.QueueRange(
            _ =>
            {
                started.Release();
                Deadline.Wait(release);
            },
            new int[Items]);
        for (int left = Items - 1; left >= 0; left--)
        {
            Deadline.Wait(started);
            Assert.Equal(left, pool.PendingWorkItemCount);
            Assert.Equal(Items - 1 - left, pool.CompletedWorkItemCount);
            if (left == 0)
            {
                Assert.Equal(TimeSpan.Zero, pool.OldestWorkItemAge);
                Assert.Equal(TimeSpan.Zero, pool.OldestWorkItemAge);
            }

            release.Release();
        }

        group.Wait();
    }

    [Theory, CombinatorialBooleans]
    public void T28_WorkerThatFeedsItself_StillServesARange(bool preferLocal)
    {
        using NativeThreadPool pool = Pools.WithThreads(1);
        bool stop = false;
        void Feed(object? state)
        {
            if (!Volatile.Read(ref stop))
            {
                pool.UnsafeQueueUserWorkItem(Feed, state, preferLocal);
            }
        }

        pool.UnsafeQueueUserWorkItem(Feed, null);
        var group = new WorkGroup(pool);
        group.QueueRange(static _ => { }, new int[Items]);
        bool served = group.Wait(Deadline.Time);
        Volatile.Write(ref stop, true); // else the pool would never end
        Assert.True(served);
    }

    [Fact]
    public void T34_Context_FlowsToEachItem_AndFromNoneToTheNext()
    {
        using NativeThreadPool pool = Pools.WithThreads(1);
        var local = new AsyncLocal<string?> { Value = "caller" };
        var group = new WorkGroup(pool);
        var seen = new List<string?>();
        group.QueueRange(
            number =>
            {
                seen.Add(local.Value);
                local.Value = $"{number}";
            },
            [.. Enumerable.Range(0, Items)]);
        group.Wait();
        Assert.Equal(Enumerable.Repeat("caller", Items), seen);
    }

    [Fact]
    public void EachFailure_ReachesTheWaiter()
    {
        using NativeThreadPool pool = Pools.WithThreads(2);
        var group = new WorkGroup(pool, WorkGroupErrors.All);
        group.QueueRange(static number => throw new FormatException($"{number}"), [.. Enumerable.Range(0, Items)]);
        IEnumerable<string> messages = Assert.Throws<AggregateException>(group.Wait).InnerExceptions.Select(static exception => exception.Message);
        Assert.Equal(Enumerable.Range(0, Items), messages.Select(static message => int.Parse(message, CultureInfo.InvariantCulture)).Order());
    }

    [Fact]
    public void EachItem_IsTimed()
    {
        using var pool = new NativeThreadPool(new NativeThreadPoolOptions
        {
            Name = nameof(EachItem_IsTimed),
            MaxThreads = 1,
            MaxBlockedThreads = 0,
            MeasureQueueDuration = true,
        });
        using var meter = new PoolMeter(pool.Name);
        var group = new WorkGroup(pool);
        using (new BlockedWorkers(pool, 1))
        {
            group.QueueRange(static _ => { }, new int[Items]);
            Assert.Equal(Items, meter["queue.length"]);
            long queued = Stopwatch.GetTimestamp();
            Deadline.Until(() => Stopwatch.GetElapsedTime(queued) >= s_while);
        }

        group.Wait();
        Assert.True(meter["queue.duration"] >= Items * s_while.TotalSeconds, $"{meter["queue.duration"]} s in all");
    }

    [Fact]
    public void EachItem_HoldsAPermitUntilItBegins()
    {
        using NativeThreadPool pool = Limited.Pool(2 * Items, QueueFullMode.Reject);
        var group = new WorkGroup(pool);
        int held = 0;
        using (new BlockedWorkers(pool, 1))
        {
            group.QueueRange(_ => held += pool.Probe.HeldPermits, new int[Items]);
            Assert.Equal(Items, pool.Probe.HeldPermits);
            Assert.Throws<QueueFullException>(() => group.QueueRange(static _ => { }, new int[Items + 1]));
            group.QueueRange(_ => held += pool.Probe.HeldPermits, new int[Items]);
            Assert.False(pool.TryQueueUserWorkItem(static _ => { }, null));
        }

        group.Wait();
        Assert.Equal(Items * ((2 * Items) - 1), held);
        Assert.Equal(0, pool.Probe.HeldPermits);
    }

    [Fact]
    public async Task Stop_DropsWhatNobodyHasClaimed_AndTellsTheGroup()
    {
        NativeThreadPool pool = Pools.WithThreads(1);
        var group = new WorkGroup(pool, WorkGroupErrors.All);
        using var started = new ManualResetEventSlim();
        using var release = new ManualResetEventSlim();
        int ran = 0;
        group.QueueRange(
            number =>
            {
                ran++;
                if (number == 4)
                {
                    started.Set();
                    Deadline.Wait(release);
                }
            },
            [.. Enumerable.Range(0, Items)]);
        Deadline.Wait(started);
        Assert.Equal(Items - 5, await Deadline.For(pool.ShutdownAsync(new CancellationToken(canceled: true))));
        release.Set();
        Assert.Equal(Items - 5, Assert.Throws<AggregateException>(() => group.Wait(Deadline.Time)).InnerExceptions.Count);
        Assert.Equal(5, ran);
    }

    [Fact]
    public void Dispose_RunsAllOfIt()
    {
        int ran = 0;
        using (NativeThreadPool pool = Pools.WithThreads(2))
        {
            new WorkGroup(pool).QueueRange(_ => Interlocked.Increment(ref ran), new int[QueueTuning.LongestRange + Items]);
        }

        Assert.Equal(QueueTuning.LongestRange + Items, ran);
    }

    [Fact]
    public void WaiterOnTheOnlyWorker_TakesFromTheMiddleOfTheQueue_AndNothingElse()
    {
        using NativeThreadPool pool = Pools.WithThreads(1);
        var group = new WorkGroup(pool);
        var other = new WorkGroup(pool);
        var seen = new List<int>();
        using var entered = new ManualResetEventSlim();
        using var queued = new ManualResetEventSlim();
        using var waiter = new Observation<bool>(() =>
        {
            entered.Set();
            Deadline.Wait(queued);
            return group.Wait(Deadline.Time / 2);
        });
        pool.UnsafeQueueUserWorkItem(waiter.Observe, null);
        Deadline.Wait(entered);
        pool.UnsafeQueueUserWorkItem(_ => seen.Add(-1), null);
        other.QueueRange(seen.Add, [.. Enumerable.Range(1_000, Items)]);
        group.QueueRange(seen.Add, [.. Enumerable.Range(0, Items)]);
        queued.Set();
        Assert.True(waiter.Result);
        other.Wait();
        Assert.Equal([.. Enumerable.Range(0, Items), -1, .. Enumerable.Range(1_000, Items)], seen);
    }
}
