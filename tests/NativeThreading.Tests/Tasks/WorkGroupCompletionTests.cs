using NativeThreading.Tests.Support;

namespace NativeThreading.Tests.Tasks;

/// <summary>When a group is done: at once, and not too early.</summary>
public sealed class WorkGroupCompletionTests
{
    public static TheoryData<string> Successors() => new("raw item", "task", "another group's item", "item in the lane");

    [Theory]
    [MemberData(nameof(Successors))]
    public void WorkerThatGoesOnWithSomethingElse_HasReportedFirst(string successor)
    {
        using var entered = new ManualResetEventSlim();
        using var release = new ManualResetEventSlim();
        using NativeThreadPool pool = Pools.WithThreads(1);
        var group = new WorkGroup(pool);
        var other = new WorkGroup(pool);
        void Block()
        {
            entered.Set();
            release.Wait(Deadline.Time);
        }

        using (new BlockedWorkers(pool, 1))
        {
            group.QueueRange(static _ => { }, new int[10]);
            _ = successor switch
            {
                "raw item" => pool.UnsafeQueueUserWorkItem(_ => Block(), null),
                "task" => pool.Run(Block) is not null,
                "another group's item" => Queue(other, Block),
                _ => Queue(group, () => pool.UnsafeQueueUserWorkItem(_ => Block(), 0, preferLocal: false)),
            };
        }

        Deadline.Wait(entered);
        bool done = group.Wait(Deadline.Time / 2);
        release.Set();
        Assert.True(done);
        Assert.True(other.Wait(Deadline.Time));
    }

    [Fact]
    public void ItemThatWaitsForAnotherGroup_HasReportedItsPredecessorsFirst()
    {
        using NativeThreadPool pool = Pools.WithThreads(2);
        foreach (int round in Soak.Repeat(100))
        {
            var first = new WorkGroup(pool);
            var second = new WorkGroup(pool);

            // One worker waits in each group for the other one's first item.
            first.Queue(static _ => { }, 0);
            second.Queue(_ => Assert.True(first.Wait(Deadline.Time / 2)), 0);
            Assert.True(second.Wait(Deadline.Time));
        }
    }

    [Fact]
    public void WaitThatFollowsATimedOutWait_DoesNotEndEarly()
    {
        using NativeThreadPool pool = Pools.WithThreads(2);
        var group = new WorkGroup(pool);
        foreach (int round in Soak.Repeat(5_000))
        {
            // Times out or not; either way the next wait may meet the end of the first item.
            group.Queue(static _ => Thread.SpinWait(50), 0);
            group.Wait(TimeSpan.FromTicks(round % 100));
            bool ran = false;
            group.Queue(
                _ =>
                {
                    Thread.SpinWait(200);
                    Volatile.Write(ref ran, true);
                },
                0);
            Assert.True(group.Wait(Deadline.Time));
            Assert.True(Volatile.Read(ref ran), $"round {round}: returned before its item had run");
            Assert.Equal(0, group.PendingCount);
        }
    }

    [Fact]
    public async Task WaitAsyncThatFollowsACancelledOne_DoesNotEndEarly()
    {
        using NativeThreadPool pool = Pools.WithThreads(2);
        var group = new WorkGroup(pool);
        foreach (int round in Soak.Repeat(2_000))
        {
            group.Queue(static _ => Thread.SpinWait(50), 0);
            Task first = group.WaitAsync();
            while (group.PendingCount != 0)
            {
                Thread.SpinWait(1);
            }

            bool ran = false;
            group.Queue(
                _ =>
                {
                    Thread.SpinWait(200);
                    Volatile.Write(ref ran, true);
                },
                0);
            await Deadline.For(group.WaitAsync());
            Assert.True(Volatile.Read(ref ran), $"round {round}: completed before its item had run");
            await Deadline.For(first);
        }
    }

    [Fact]
    public void ProducersAndWaitersAtTheSameTime_AllReturn()
    {
        using NativeThreadPool pool = Pools.WithThreads(2);
        var group = new WorkGroup(pool);
        int queued = 0;
        int ran = 0;
        StartGate.Run(4, thread =>
        {
            foreach (int i in Soak.Repeat(2_000))
            {
                Interlocked.Increment(ref queued);
                group.Queue(_ => Interlocked.Increment(ref ran), 0);
                if (i % 3 == thread % 3)
                {
                    Assert.True(group.Wait(Deadline.Time));
                }
            }
        });
        Assert.True(group.Wait(Deadline.Time));
        Assert.Equal(queued, ran);
    }

    private static bool Queue(WorkGroup group, Action action)
    {
        group.Queue(static action => action(), action);
        return true;
    }
}
