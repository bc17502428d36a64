using System.Diagnostics.CodeAnalysis;
using NativeThreading;
using NativeThreading.Tests.Support;

namespace NativeThreading.Repository.Tests.Documentation;

/// <summary>The code of docs/guides/migrate.md, before and after, run. DocumentationTests compares the two.</summary>
[SuppressMessage("Performance", "CA1822", Justification = "The documentation's names.")]
public sealed class MigrationSnippets
{
    [Fact]
    public async Task FromThreadPool()
    {
        using var printed = new CountdownEvent(6);
        var order = new Order(printed);
        Order[] orders = [order, order];
        await using var pool = new NativeThreadPool();

        ThreadPool.QueueUserWorkItem(static order => order.Print(), order, preferLocal: false);                 // before
        int total = await Task.Run(() => order.Total());
        Parallel.ForEach(orders, static each => each.Print());

        Assert.Equal(9, total);
        total = 0;

        pool.QueueUserWorkItem(static order => order.Print(), order, preferLocal: false);                       // after
        total = await pool.Run(() => order.Total());
        var asManyAsThreads = new ParallelOptions { TaskScheduler = pool.Scheduler, MaxDegreeOfParallelism = pool.MaxThreads };
        Parallel.ForEach(orders, asManyAsThreads, static each => each.Print());

        Assert.Equal(9, total);
        Deadline.Wait(printed);
    }

    /// <summary>What the page says of loops whose body blocks.</summary>
    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task ParallelLoopWhoseBodyBlocks_OccupiesNoMoreThreadsThanItsLimit(bool isLimited)
    {
        const int bodies = 40;
        await using var pool = new NativeThreadPool(new NativeThreadPoolOptions { MaxThreads = 2 });
        using var allBlock = new CountdownEvent(bodies);
        int underWay = 0, most = 0;
        var options = new ParallelOptions { TaskScheduler = pool.Scheduler };
        if (isLimited)
        {
            options.MaxDegreeOfParallelism = pool.MaxThreads;
        }

        Parallel.For(0, bodies, options, _ =>
        {
            InterlockedMax(ref most, Interlocked.Increment(ref underWay));
            allBlock.Signal();
            if (isLimited)
            {
                Thread.Sleep(TimeSpan.FromMilliseconds(20)); // long enough to be detected as blocked
            }
            else
            {
                Deadline.Wait(allBlock);
            }

            Interlocked.Decrement(ref underWay);
        });

        Assert.InRange(most, isLimited ? 1 : bodies, isLimited ? pool.MaxThreads : bodies);
    }

    [Fact]
    public async Task FromALimitedScheduler()
    {
        int written = 0;
        void Write() => written++;

        var limited = new ConcurrentExclusiveSchedulerPair(TaskScheduler.Default, maxConcurrencyLevel: 4).ConcurrentScheduler;  // before
        Task<int> one = Task.Factory.StartNew(Convert, CancellationToken.None, TaskCreationOptions.DenyChildAttach, limited);

        await using var converters = new NativeThreadPool(new NativeThreadPoolOptions                                           // after
        {
            Name = "converters",
            MaxThreads = 4,
            MaxBlockedThreads = 0,
        });
        Task<int> two = converters.Run(Convert);
        Task<int> three = converters.Factory.StartNew(Convert);

        int[] results = await Deadline.For(Task.WhenAll(one, two, three));
        Assert.Equal([1, 1, 1], results);

        var pair = new ConcurrentExclusiveSchedulerPair(converters.Scheduler, maxConcurrencyLevel: 4);
        Task write = Task.Factory.StartNew(Write, CancellationToken.None, TaskCreationOptions.DenyChildAttach, pair.ExclusiveScheduler);

        await Deadline.For(write);
        Assert.Equal(1, written);
    }

    private static int Convert() => 1;

    private static void InterlockedMax(ref int most, int value)
    {
        for (int seen = Volatile.Read(ref most); value > seen; seen = Volatile.Read(ref most))
        {
            Interlocked.CompareExchange(ref most, value, seen);
        }
    }

    private sealed class Order(CountdownEvent printed)
    {
        public int Total() => 9;

        public void Print() => printed.Signal();
    }
}
