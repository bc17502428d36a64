using NativeThreading.Tests.Support;

namespace NativeThreading.Tests.Limits;

/// <summary>What acquires a permit, and when that is released.</summary>
public sealed class PermitTests
{
    [Fact]
    public void LimitCountsWhatWaits_NotWhatRuns()
    {
        using NativeThreadPool pool = Limited.Pool(1, QueueFullMode.Reject, threads: 2);
        using (new BlockedWorkers(pool, 1))
        {
            using (new BlockedWorkers(pool, 1))
            {
                Assert.Equal(0, pool.Probe.HeldPermits);
                Assert.True(pool.TryQueueUserWorkItem(_ => { }, null));
                Assert.False(pool.TryQueueUserWorkItem(_ => { }, null));
            }
        }

        pool.AssertEmpty();
    }

    [Fact]
    public void Continuations_AreNeitherRefusedNorCounted()
    {
        using NativeThreadPool pool = Limited.Pool(1, QueueFullMode.Reject);
        var gates = Enumerable.Range(0, 20).Select(_ => new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously)).ToArray();
        int resumed = 0, switched = 0;
        var operations = new List<Task>();
        foreach (TaskCompletionSource gate in gates)
        {
            operations.Add(pool.Run(async () =>
            {
                await gate.Task;
                Interlocked.Increment(ref resumed);
                Assert.Same(pool, NativeThreadPool.Current);
            }));
            pool.WaitUntilQuiet();
        }

        using (new BlockedWorkers(pool, 1))
        {
            pool.Fill();
            operations.Add(SwitchAsync());
            operations.Add(pool.Factory.StartNew(() => { })); // cannot be told from a continuation
            Array.ForEach(gates, gate => gate.SetResult());
            Deadline.Until(() => pool.PendingWorkItemCount == 1 + gates.Length + 2, "all continuations are queued");
            Assert.Equal(1, pool.Probe.HeldPermits);
        }

        Deadline.Wait(Task.WhenAll(operations));
        pool.AssertEmpty();
        Assert.Equal((20, 1), (resumed, switched));

        async Task SwitchAsync()
        {
            await pool.SwitchTo();
            Assert.Same(pool, NativeThreadPool.Current);
            switched++;
        }
    }

    [Theory]
    [InlineData(QueueFullMode.Reject)]
    [InlineData(QueueFullMode.Wait)]
    [InlineData(QueueFullMode.RunOnCaller)]
    public void UnsafeQueueContinuation_IsNeitherRefusedNorCounted(QueueFullMode mode)
    {
        using NativeThreadPool pool = Limited.Pool(1, mode);
        int ran = 0;
        using (new BlockedWorkers(pool, 1))
        {
            pool.Fill();
            pool.UnsafeQueueContinuation(_ => ran++, "state", preferLocal: false);
            pool.UnsafeQueueContinuation(_ => ran++, 1, preferLocal: true);
            Assert.Equal((3L, 1, 0), (pool.PendingWorkItemCount, pool.Probe.HeldPermits, ran));
        }

        pool.AssertEmpty();
        pool.OnWorker(() =>
        {
            pool.Fill();
            pool.UnsafeQueueContinuation(_ => ran++, "state", preferLocal: true);
            pool.UnsafeQueueContinuation(_ => ran++, 1, preferLocal: false);
            Assert.Equal(2, ran);
        });
        pool.AssertEmpty();
        Assert.Equal(4, ran);
    }

    [Fact]
    public void TaskThatItsWaiterRunsInPlace_ReleasesItsPermit()
    {
        using NativeThreadPool pool = Limited.Pool(1, QueueFullMode.Reject, threads: 2);
        pool.OnWorker(() =>
        {
            for (int i = 0; i < 100; i++)
            {
                Deadline.Until(() => pool.Probe.HeldPermits == 0);
                Endless.Wait(pool.Run(() => Assert.Equal(0, pool.Probe.HeldPermits)));
            }
        });
        pool.AssertEmpty();
    }

    [Fact]
    public void ItemsOfAGroup_CountFromOutside_AndNotFromWithin()
    {
        using NativeThreadPool pool = Limited.Pool(4, QueueFullMode.Reject);
        var group = new WorkGroup(pool);
        int ran = 0;
        using (new BlockedWorkers(pool, 1))
        {
            group.QueueRange(_ => ran++, [1, 2, 3]);
            Assert.Equal(3, pool.Probe.HeldPermits);
            Assert.Throws<QueueFullException>(() => group.QueueRange(_ => ran += 100, [4, 5]));
            Assert.Equal((3, 3L), (pool.Probe.HeldPermits, group.PendingCount));
            group.Queue(_ => ran++, 4);
        }

        group.Wait();
        pool.OnWorker(() =>
        {
            pool.Fill();
            group.QueueRange(_ => ran++, new int[100]);
            group.Wait(); // helps, and so begins what does not hold a permit
        });
        pool.AssertEmpty();
        Assert.Equal(104, ran);
    }

    [Theory]
    [InlineData(QueueFullMode.Wait)]
    [InlineData(QueueFullMode.RunOnCaller)]
    public void GroupLargerThanTheLimit_GoesThroughPieceByPiece(QueueFullMode mode)
    {
        using NativeThreadPool pool = Limited.Pool(3, mode);
        var local = new AsyncLocal<int> { Value = 7 };
        var group = new WorkGroup(pool, WorkGroupErrors.All);
        int ran = 0;
        group.QueueRange(
            number =>
            {
                Interlocked.Add(ref ran, local.Value == 7 ? 1 : 1_000_000);
                if (number % 100 == 0)
                {
                    throw new FormatException();
                }
            },
            Enumerable.Range(0, 1_000).ToArray());
        Assert.Equal(10, Assert.Throws<AggregateException>(group.Wait).InnerExceptions.Count);
        Assert.Equal((1_000, 0L), (ran, group.PendingCount));
        pool.AssertEmpty();
    }

    [Fact]
    public void GroupWhoseWaiterHelps_ReleasesThePermitsOfWhatItRuns()
    {
        using NativeThreadPool pool = Limited.Pool(8, QueueFullMode.Reject);
        var group = new WorkGroup(pool);
        using var queued = new ManualResetEventSlim();
        Task<int> helped = pool.Run(() =>
        {
            Deadline.Wait(queued);
            group.Wait();
            return pool.Probe.HeldPermits;
        });
        pool.AssertBegun();
        group.QueueRange(_ => { }, new int[8]);
        Assert.False(pool.TryQueueUserWorkItem(_ => { }, null));
        queued.Set();
        Assert.Equal(0, Deadline.Result(helped));
    }

    [Fact]
    public void ItemThatThrows_HasReleasedItsPermit()
    {
        using NativeThreadPool pool = Limited.Pool(1, QueueFullMode.Wait, handler: static _ => true);
        for (int i = 0; i < 20; i++)
        {
            pool.QueueUserWorkItem(_ => throw new FormatException());
        }

        pool.AssertEmpty();
    }

    [Fact]
    public void ItemsWithoutAContext_CostNoObject()
    {
        using NativeThreadPool pool = Limited.Pool(1_000, QueueFullMode.Reject);
        long allocated = 0;
        StartGate.Run(1, _ =>
        {
            using var blocked = new BlockedWorkers(pool, 1);
            Queue(500);
            long before = GC.GetAllocatedBytesForCurrentThread();
            Queue(400);
            allocated = GC.GetAllocatedBytesForCurrentThread() - before;
        });
        Assert.True(allocated < 400 * 16, $"{allocated} bytes for 400 items");

        void Queue(int items)
        {
            for (int i = 0; i < items; i++)
            {
                pool.QueueUserWorkItem(static _ => { }, "state", preferLocal: false);
            }
        }
    }
}
