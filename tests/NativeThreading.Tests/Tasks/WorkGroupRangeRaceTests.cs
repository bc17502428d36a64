using NativeThreading.Tests.Limits;
using NativeThreading.Tests.Support;

namespace NativeThreading.Tests.Tasks;

/// <summary>Ranges that are queued and run while the pool stops, drains, is full, or while waiters help: each item ends once.</summary>
[Trait("Category", "Race")]
public sealed class WorkGroupRangeRaceTests
{
    private const int Items = 40;

    /// <summary>What the token drops and what runs are all there is, and the group knows of both.</summary>
    [Fact]
    public void T68_Stop_AccountsForEachItem()
    {
        foreach (int round in RaceTime.Rounds())
        {
            NativeThreadPool pool = Pools.WithThreads(2);
            using var cancellation = new CancellationTokenSource();
            var group = new WorkGroup(pool, WorkGroupErrors.All);
            int ran = 0, accepted = 0;
            long dropped = 0;
            Race.Run(
                () => accepted = QueueUntilRefused(group, () => Interlocked.Increment(ref ran)),
                () =>
                {
                    Thread.SpinWait(round % 50 * 20);
                    cancellation.Cancel();
                    dropped = Deadline.Result(pool.ShutdownAsync(cancellation.Token));
                });
            Deadline.Until(() => group.PendingCount == 0, $"the group ends: {ran} of {accepted} ran, {dropped} were dropped");
            Assert.Equal(accepted, ran + dropped);
            Assert.Equal(dropped, (Record.Exception(group.Wait) as AggregateException)?.InnerExceptions.Count ?? 0);
            Deadline.Until(() => pool.ThreadCount == 0);
            Assert.Equal(0, pool.PendingWorkItemCount);
        }
    }

    [Fact]
    public void Drain_RunsWhatWasAccepted_AndEnds()
    {
        foreach (int round in RaceTime.Rounds())
        {
            NativeThreadPool pool = Pools.WithThreads(1 + (round % 3));
            var group = new WorkGroup(pool);
            int ran = 0, accepted = 0;
            Race.Run(
                () => accepted = QueueUntilRefused(group, () => Interlocked.Increment(ref ran)),
                () =>
                {
                    Thread.SpinWait(round % 50 * 20);
                    Assert.Equal(0, Deadline.Result(pool.ShutdownAsync(CancellationToken.None)));
                });
            Assert.True(group.Wait(Deadline.Time));
            Assert.Equal(accepted, ran);
        }
    }

    /// <summary>No worker parks while items of a range wait: many small ranges, so that each end of one meets the beginning of another.</summary>
    [Theory]
    [InlineData(1)]
    [InlineData(3)]
    public void RangesOfSeveralProducers_BetweenOtherItems_StrandNothing(int threads)
    {
        using var pool = new NativeThreadPool(new NativeThreadPoolOptions { MaxThreads = threads, IdleTimeout = TimeSpan.FromMicroseconds(10) });
        foreach (int round in RaceTime.Rounds())
        {
            const int producers = 3;
            using var ran = new CountdownEvent(producers * (Items + 2));
            StartGate.Run(producers, producer =>
            {
                pool.UnsafeQueueUserWorkItem(_ => ran.Signal(), null);
                Thread.SpinWait(round % 50 * 10);
                new WorkGroup(pool).QueueRange(_ => ran.Signal(), new int[Items]);
                Thread.SpinWait(round % 7 * producer * 20);
                pool.UnsafeQueueUserWorkItem(_ => ran.Signal(), null);
            });
            RaceTime.WaitSoon(ran, $"the items of round {round}");
        }
    }

    [Fact]
    public void WaitersOnWorkers_HelpBesideThoseWhoClaim()
    {
        using NativeThreadPool pool = Pools.WithThreads(3);
        foreach (int _ in RaceTime.Rounds())
        {
            WorkGroup[] groups = [new(pool), new(pool)];
            int ran = 0;
            Task[] waiters = [];
            Race.Run(
                () => Array.ForEach(groups, group => group.QueueRange(_ => Interlocked.Increment(ref ran), new int[Items])),
                () => waiters = [.. groups.Select(group => pool.Run(group.Wait))]);
            Deadline.Wait(Task.WhenAll(waiters));
            Assert.All(groups, static group => Assert.True(group.Wait(Deadline.Time)));
            Assert.Equal(2 * Items, ran);
        }

        pool.WaitUntilQuiet();
    }

    [Theory]
    [InlineData(QueueFullMode.Reject)]
    [InlineData(QueueFullMode.Wait)]
    [InlineData(QueueFullMode.RunOnCaller)]
    public void LimitedQueue_NeverHoldsMoreThanItMay_AndLosesNoPermit(QueueFullMode mode)
    {
        const int limit = 3 * Items / 2;
        using NativeThreadPool pool = Limited.Pool(limit, mode, threads: 2);
        foreach (int _ in RaceTime.Rounds())
        {
            var group = new WorkGroup(pool);
            int ran = 0, accepted = 0, most = 0;
            StartGate.Run(3, _ =>
            {
                for (int i = 0; i < 5; i++)
                {
                    try
                    {
                        group.QueueRange(_ => Interlocked.Increment(ref ran), new int[Items]);
                        Interlocked.Add(ref accepted, Items);
                    }
                    catch (QueueFullException)
                    {
                    }

                    most = Math.Max(Volatile.Read(ref most), pool.Probe.HeldPermits);
                }
            });
            Assert.True(group.Wait(Deadline.Time));
            Assert.Equal(accepted, ran);
            Assert.InRange(most, 0, limit);
        }

        pool.AssertEmpty();
    }

    /// <summary>Queues five ranges, if the pool takes as many. Returns how many items it took.</summary>
    private static int QueueUntilRefused(WorkGroup group, Action item)
    {
        int accepted = 0;
        try
        {
            for (int i = 0; i < 5; i++)
            {
                group.QueueRange(_ => item(), new int[Items]);
                accepted += Items;
            }
        }
        catch (ObjectDisposedException)
        {
        }

        return accepted;
    }
}
