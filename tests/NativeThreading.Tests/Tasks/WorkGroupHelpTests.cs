using NativeThreading.Tests.Support;

namespace NativeThreading.Tests.Tasks;

/// <summary>A waiter that is a worker helps, with items of its own group and no others.</summary>
public sealed class WorkGroupHelpTests
{
    [Theory, CombinatorialBooleans]
    public void WaiterOnTheOnlyWorker_RunsTheItemsItself(bool batch)
    {
        using NativeThreadPool pool = Pools.WithThreads(1);
        Assert.Equal((100, true), pool.OnWorker(() =>
        {
            int thread = Environment.CurrentManagedThreadId;
            bool here = true;
            int ran = 0;
            var group = new WorkGroup(pool);
            void Item(int state)
            {
                ran++;
                here &= Environment.CurrentManagedThreadId == thread;
            }

            if (batch)
            {
                group.QueueRange(Item, new int[100]);
            }
            else
            {
                for (int i = 0; i < 100; i++)
                {
                    group.Queue(Item, i);
                }
            }

            group.Wait();
            return (ran, here);
        }));
    }

    [Fact]
    public void WaiterOnTheOnlyWorker_FindsItemsThatCameFromOutside()
    {
        using NativeThreadPool pool = Pools.WithThreads(1);
        var group = new WorkGroup(pool);
        using var entered = new ManualResetEventSlim();
        using var queued = new ManualResetEventSlim();
        using var done = new Observation<bool>(() =>
        {
            entered.Set();
            queued.Wait(Deadline.Time);
            return group.Wait(Deadline.Time / 2);
        });
        pool.QueueUserWorkItem(done.Observe);
        Deadline.Wait(entered);
        group.QueueRange(static _ => { }, new int[100]);
        queued.Set();
        Assert.True(done.Result);
    }

    [Theory, CombinatorialBooleans]
    public void ForeignItems_DoNotRunNested(bool withContext)
    {
        // An item with a context is recognised in another way than one without.
        var local = new AsyncLocal<string?>();
        using NativeThreadPool pool = Pools.WithThreads(1);
        bool waiting = false;
        int nested = 0;
        int foreign = 0;
        void Foreign()
        {
            foreign++;
            nested += Volatile.Read(ref waiting) ? 1 : 0;
        }

        pool.OnWorker(() =>
        {
            local.Value = withContext ? "set" : null;
            var group = new WorkGroup(pool);
            var other = new WorkGroup(pool);
            for (int i = 0; i < 20; i++)
            {
                pool.QueueUserWorkItem(_ => Foreign());
                pool.QueueUserWorkItem(_ => Foreign(), 0, preferLocal: true);
                pool.Run(Foreign);
                other.Queue(_ => Foreign(), 0);
                group.Queue(static _ => { }, 0);
            }

            Volatile.Write(ref waiting, true);
            group.Wait();
            Volatile.Write(ref waiting, false);
        });
        pool.WaitUntilQuiet();
        Assert.Equal((80, 0), (foreign, nested));
    }

    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    [InlineData(4)]
    public void NestedGroups_AreForkJoin(int threads)
    {
        using NativeThreadPool pool = Pools.WithThreads(threads);
        int Leaves(int depth)
        {
            if (depth == 0)
            {
                return 1;
            }

            int[] sums = new int[4];
            var group = new WorkGroup(pool);
            group.QueueRange(i => sums[i] = Leaves(depth - 1), [0, 1, 2, 3]);
            group.Wait();
            return sums.Sum();
        }

        for (int round = 0; round < Soak.Rounds(10); round++)
        {
            Assert.Equal(1_024, pool.OnWorker(() => Leaves(5)));
        }
    }
}
