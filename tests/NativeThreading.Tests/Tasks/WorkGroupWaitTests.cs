using System.Diagnostics;
using NativeThreading.Tests.Support;

namespace NativeThreading.Tests.Tasks;

/// <summary>Waits that end before their group does, and many at once.</summary>
public sealed class WorkGroupWaitTests : IDisposable
{
    private readonly NativeThreadPool _pool = Pools.WithThreads(2);

    public void Dispose() => _pool.Dispose();

    [Theory, CombinatorialBooleans]
    public void Wait_EndsAtItsTimeout(bool onWorker)
    {
        var group = new WorkGroup(_pool);
        using var blocked = new BlockedItem(group);
        bool Wait() => group.Wait(TimeSpan.Zero) || group.Wait(TimeSpan.FromMilliseconds(20));
        Assert.False(onWorker ? _pool.OnWorker(Wait) : Wait());
        Assert.Equal(1, group.PendingCount);
        blocked.Release();
        Assert.True(group.Wait(Deadline.Time));
    }

    /// <summary>The framework rounds down: a wait that passed the fraction on would call it again and again, on its processor, until the time is
    /// over.</summary>
    [Theory, CombinatorialBooleans]
    public void Wait_OfAFractionOfAMillisecond_SleepsForAWholeOne(bool onWorker)
    {
        var group = new WorkGroup(_pool);
        using var blocked = new BlockedItem(group);
        bool Wait()
        {
            bool isDone = false;
            long began = Stopwatch.GetTimestamp();
            for (int i = 0; i < 50; i++)
            {
                isDone |= group.Wait(TimeSpan.FromMilliseconds(0.1));
            }

            Assert.InRange(Stopwatch.GetElapsedTime(began).TotalMilliseconds, 25, double.MaxValue);
            return isDone;
        }

        Assert.False(onWorker ? _pool.OnWorker(Wait) : Wait());
    }

    [Fact]
    public async Task WaitAsync_EndsWithItsTokenAndTheItemsGoOn()
    {
        var group = new WorkGroup(_pool);
        using var cancellation = new CancellationTokenSource();
        using (new BlockedWorkers(_pool, 2))
        {
            group.QueueRange(static _ => { }, [1, 2, 3]);
            Task cancelled = group.WaitAsync(cancellation.Token);
            Task waiting = group.WaitAsync();
            Assert.False(cancelled.IsCompleted);
            cancellation.Cancel();
            await Assert.ThrowsAnyAsync<OperationCanceledException>(() => Deadline.For(cancelled));
            Assert.False(waiting.IsCompleted);
            Assert.Equal(3, group.PendingCount);
        }

        await Deadline.For(group.WaitAsync());
    }

    [Fact]
    public void ManyWaiters_AllReturn()
    {
        var group = new WorkGroup(_pool);
        var waiters = new List<Task>();
        using (new BlockedWorkers(_pool, 2))
        {
            group.QueueRange(static _ => { }, new int[10]);
            waiters.AddRange(Enumerable.Range(0, 10).Select(_ => group.WaitAsync()));
            waiters.AddRange(Enumerable.Range(0, 4).Select(_ => Task.Factory.StartNew(
                () => Assert.True(group.Wait(Deadline.Time)),
                CancellationToken.None,
                TaskCreationOptions.LongRunning,
                TaskScheduler.Default)));
        }

        Deadline.Wait(Task.WhenAll(waiters));
    }

    private sealed class BlockedItem(WorkGroup group) : Occupation(1, item => group.Queue(item.Invoke, (object?)null));
}
