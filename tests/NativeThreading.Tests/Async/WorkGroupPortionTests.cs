using NativeThreading.Tests.Support;

namespace NativeThreading.Tests.Async;

/// <summary>
/// What <see cref="WorkGroup.QueueRange"/> promises also holds where workers know that items are short, and so claim many at once and leave
/// requests to who waits.
/// </summary>
public sealed class WorkGroupPortionTests
{
    private const int Items = 500;

    [Fact]
    public void ItemThatBlocks_HoldsUpNoOther()
    {
        using NativeThreadPool pool = Pools.WithThreads(2);
        var group = new WorkGroup(pool);
        for (int round = 0; round < Soak.Rounds(20); round++)
        {
            using var others = new CountdownEvent(Items - 1);
            RunShortOnes(group);
            group.QueueRange(
                number =>
                {
                    if (number == round * 20 % Items)
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
    }

    [Fact]
    public void ItemOfTheOnlyWorkerThatBlocks_GetsANewWorkerForTheOthers()
    {
        using var pool = new NativeThreadPool(new NativeThreadPoolOptions { MaxThreads = 1 });
        var group = new WorkGroup(pool);
        RunShortOnes(group);
        using var others = new CountdownEvent(Items - 1);
        group.QueueRange(
            number =>
            {
                if (number == 40)
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
    public async Task Stop_DropsWhatIsInHand_AndTellsTheGroup()
    {
        NativeThreadPool pool = Pools.WithThreads(1);
        var group = new WorkGroup(pool, WorkGroupErrors.All);
        RunShortOnes(group);
        using var begun = new ManualResetEventSlim();
        using var release = new ManualResetEventSlim();
        int ran = 0;
        group.QueueRange(
            number =>
            {
                ran++;
                if (number == 70)
                {
                    begun.Set();
                    Deadline.Wait(release);
                }
            },
            [.. Enumerable.Range(0, Items)]);
        Deadline.Wait(begun);
        Assert.Equal(Items - 71, pool.PendingWorkItemCount);
        Assert.Equal(Items - 71, await Deadline.For(pool.ShutdownAsync(new CancellationToken(canceled: true))));
        release.Set();
        Assert.Equal(Items - 71, Assert.Throws<AggregateException>(() => group.Wait(Deadline.Time)).InnerExceptions.Count);
        Assert.Equal(71, ran);
    }

    [Fact]
    public void ItemThatWaitsForItsOwnGroupsNextOnes_RunsThemItself()
    {
        using NativeThreadPool pool = Pools.WithThreads(1);
        var group = new WorkGroup(pool);
        var inner = new WorkGroup(pool);
        RunShortOnes(group);
        int ran = 0, before = 0;
        group.QueueRange(
            number =>
            {
                if (number == 30)
                {
                    inner.Queue(_ => before = ran, 0);
                    inner.Wait();
                }

                ran++;
            },
            [.. Enumerable.Range(0, Items)]);
        Assert.True(group.Wait(Deadline.Time));
        Assert.Equal((30, Items), (before, ran));
    }

    /// <summary>Enough of them, one range after the other, for each worker that takes part to know what they cost.</summary>
    private static void RunShortOnes(WorkGroup group)
    {
        for (int i = 0; i < 5; i++)
        {
            group.QueueRange(static _ => { }, new int[2 * Items]);
            Assert.True(group.Wait(Deadline.Time));
        }
    }
}
