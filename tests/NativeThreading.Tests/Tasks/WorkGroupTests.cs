using NativeThreading.Tests.Support;

namespace NativeThreading.Tests.Tasks;

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
    public void RangeOfAnyCollection_RunsEachStateOnce()
    {
        var group = new WorkGroup(_pool);
        int sum = 0;
        void Add(int number) => Interlocked.Add(ref sum, number);
        static IEnumerable<int> Count()
        {
            yield return 1;
            yield return 2;
        }

        int[] array = [1, 2];
        group.QueueRange(Add, array);
        group.QueueRange(Add, new List<int> { 10, 20 });
        group.QueueRange(Add, Count().Select(static number => 100 * number));
        group.QueueRange(Add, new HashSet<int> { 1_000, 2_000 });
        group.QueueRange(Add, [10_000, 20_000]);
        group.QueueRange(Add, new List<int>());
        Assert.True(group.Wait(Deadline.Time));
        Assert.Equal(33_333, sum);
    }

    [Fact]
    public void RangeWhoseEnumerationThrows_QueuesNoItem()
    {
        var group = new WorkGroup(_pool);
        int ran = 0;
        static IEnumerable<int> Count()
        {
            yield return 1;
            throw new FormatException();
        }

        Assert.Throws<FormatException>(() => group.QueueRange(_ => Interlocked.Increment(ref ran), Count()));
        Assert.Equal(0, group.PendingCount);
        group.Wait();
        Assert.Equal(0, ran);
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
        Assert.Throws<ArgumentNullException>("callback", () => group.QueueRange((Action<string>)null!, new List<string>()));
        Assert.Throws<ArgumentNullException>("callback", () => group.QueueRange(null!, Array.Empty<string>()));
        Assert.Throws<ArgumentNullException>("states", () => group.QueueRange(static _ => { }, (string[])null!));
        Assert.Throws<ArgumentNullException>("states", () => group.QueueRange(static _ => { }, (List<string>)null!));
        Assert.Throws<ArgumentOutOfRangeException>("timeout", () => group.Wait(TimeSpan.FromTicks(-1)));
        Assert.Equal(0, group.PendingCount);
    }
}
