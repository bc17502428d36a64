using NativeThreading.Tests.Support;

namespace NativeThreading.Tests.Contract;

/// <summary>Many items, from many threads, at once.</summary>
public abstract class ParallelismContract<TPool> : PoolContract<TPool>
    where TPool : IPoolUnderTest, new()
{
    private static readonly int s_processors = Environment.ProcessorCount;

    [Theory, CombinatorialBooleans]
    public void ItemsFromManyThreads_EachRunsOnce(bool preferLocal)
    {
        const int producers = 8;
        const int itemsEach = 100_000 / producers;
        int[] runs = new int[producers * itemsEach];
        using var ran = new CountdownEvent(runs.Length);
        Action<object> item = index =>
        {
            Interlocked.Increment(ref runs[(int)index]);
            ran.Signal();
        };
        StartGate.Run(producers, producer =>
        {
            for (int i = 0; i < itemsEach; i++)
            {
                Pool.QueueUserWorkItem(item, producer * itemsEach + i, preferLocal);
            }
        });
        Deadline.Wait(ran);
        Assert.All(runs, count => Assert.Equal(1, count));
    }

    [Fact]
    public void AsManyItemsAsProcessors_RunAtTheSameTime_Twice()
    {
        for (int round = 0; round < 2; round++)
        {
            using var all = new Barrier(s_processors);
            using var met = new CountdownEvent(s_processors);
            for (int i = 0; i < s_processors; i++)
            {
                Pool.QueueUserWorkItem(_ =>
                {
                    if (all.SignalAndWait(Deadline.Time))
                    {
                        met.Signal();
                    }
                });
            }

            Deadline.Wait(met);
        }
    }

    [Fact]
    public void OneFreeThread_PicksUpWhatIsQueued()
    {
        using var release = new ManualResetEventSlim();
        using var blocked = new CountdownEvent(s_processors);
        using var left = new CountdownEvent(s_processors);
        using var ran = new CountdownEvent(100);
        blocked.Signal();
        left.Signal();
        for (int i = 0; i < s_processors - 1; i++)
        {
            Pool.QueueUserWorkItem(_ =>
            {
                blocked.Signal();
                release.Wait(Deadline.Time);
                left.Signal();
            });
        }

        Deadline.Wait(blocked);
        for (int i = 0; i < 100; i++)
        {
            Pool.QueueUserWorkItem(_ => ran.Signal());
        }

        Deadline.Wait(ran);
        release.Set();
        Deadline.Wait(left);
    }

    [Theory, CombinatorialBooleans]
    public void ItemsQueuedByItems_AllRun(bool preferLocal)
    {
        const int depth = 14;
        using var ran = new CountdownEvent((1 << (depth + 1)) - 1);
        void Node(int level)
        {
            if (level < depth)
            {
                Pool.QueueUserWorkItem(Node, level + 1, preferLocal);
                Pool.QueueUserWorkItem(Node, level + 1, preferLocal);
            }

            ran.Signal();
        }

        Pool.QueueUserWorkItem(Node, 0, preferLocal);
        Deadline.Wait(ran);
    }

    [Theory, CombinatorialBooleans]
    public void T39_ItemsOfAWorkerThatBlocks_RunOnTheOthers(bool preferLocal)
    {
        const int items = 1_000;
        using var ran = new CountdownEvent(items);
        using var done = new Observation<bool>(() =>
        {
            for (int i = 0; i < items; i++)
            {
                Pool.QueueUserWorkItem(_ => ran.Signal(), (object?)null, preferLocal);
            }

            return ran.Wait(Deadline.Time);
        });
        Pool.QueueUserWorkItem(done.Observe);
        Assert.True(done.Result);
    }
}

public sealed class NativePoolParallelism : ParallelismContract<NativePoolUnderTest>;

public sealed class RuntimePoolParallelism : ParallelismContract<RuntimePoolUnderTest>;

public sealed class SchedulerParallelism : ParallelismContract<SchedulerUnderTest>;
