using NativeThreading.Tests.Support;

namespace NativeThreading.Tests.Async;

/// <summary>Queue many, wait once.</summary>
public sealed class WorkGroupTests : IDisposable
{
    private readonly NativeThreadPool _pool = Pools.WithThreads(2);

    public void Dispose() => _pool.Dispose();

    [Fact]
    public void QueueMany_WaitOnce()
    {
        var group = new WorkGroup(_pool);
        int[] runs = new int[10_000];
        for (int i = 0; i < runs.Length; i++)
        {
            group.Queue(index => Interlocked.Increment(ref runs[index]), i);
        }

        Assert.True(group.Wait(Deadline.Time));
        Assert.Equal(0, group.PendingCount);
        Assert.All(runs, count => Assert.Equal(1, count));
    }

    [Theory, CombinatorialBooleans]
    public void Batch_RunsOncePerState(bool fromWorker)
    {
        var group = new WorkGroup(_pool);
        int[] runs = new int[5_000];
        int[] states = [.. Enumerable.Range(0, runs.Length)];
        void Queue() => group.QueueRange(index => Interlocked.Increment(ref runs[index]), states);
        if (fromWorker)
        {
            _pool.OnWorker(Queue);
        }
        else
        {
            Queue();
        }

        Array.Clear(states); // the states were copied
        Assert.True(group.Wait(Deadline.Time));
        Assert.All(runs, count => Assert.Equal(1, count));
    }

    [Fact]
    public void ReferenceStates_ReachTheirItems()
    {
        var group = new WorkGroup(_pool);
        string?[] states = ["one", null, "three"];
        var seen = new System.Collections.Concurrent.ConcurrentBag<string?>();
        group.QueueRange(seen.Add, states);
        group.Queue(seen.Add, "four");
        Assert.True(group.Wait(Deadline.Time));
        Assert.Equal([null, "four", "one", "three"], seen.Order(StringComparer.Ordinal));
    }

    [Fact]
    public async Task EmptyGroup_IsDone()
    {
        var group = new WorkGroup(_pool);
        group.QueueRange(static _ => { }, ReadOnlySpan<int>.Empty);
        Assert.Equal(0, group.PendingCount);
        Assert.True(group.Wait(TimeSpan.Zero));
        group.Wait();
        await Deadline.For(group.WaitAsync());
    }

    [Fact]
    public void Group_IsReusable()
    {
        var group = new WorkGroup(_pool);
        for (int round = 0; round < 1_000; round++)
        {
            int ran = 0;
            group.QueueRange(_ => Interlocked.Increment(ref ran), new int[round % 20]);
            Assert.True(group.Wait(Deadline.Time));
            Assert.Equal(round % 20, ran);
        }
    }

    [Fact]
    public void ItemsOfTheGroup_MayQueueMore()
    {
        var group = new WorkGroup(_pool);
        int ran = 0;
        void Node(int depth)
        {
            Interlocked.Increment(ref ran);
            if (depth > 0)
            {
                group.Queue(Node, depth - 1);
                group.QueueRange(Node, [depth - 1]);
            }
        }

        group.Queue(Node, 12);
        Assert.True(group.Wait(Deadline.Time));
        Assert.Equal((1 << 13) - 1, ran);
    }

    [Fact]
    public void InvalidArguments_AreNamed()
    {
        Assert.Throws<ArgumentNullException>("pool", () => new WorkGroup(null!));
        var range = Assert.Throws<ArgumentOutOfRangeException>("errors", () => new WorkGroup(_pool, (WorkGroupErrors)7));
        Assert.Contains("First or All", range.Message, StringComparison.Ordinal);
        var group = new WorkGroup(_pool);
        Assert.Throws<ArgumentNullException>("callback", () => group.Queue((Action<int>)null!, 1));
        Assert.Throws<ArgumentNullException>("callback", () => group.QueueRange((Action<string>)null!, ReadOnlySpan<string>.Empty));
        Assert.Throws<ArgumentOutOfRangeException>("timeout", () => group.Wait(TimeSpan.FromTicks(-1)));
        Assert.Equal(0, group.PendingCount);
    }
}
