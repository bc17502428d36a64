using System.Diagnostics.CodeAnalysis;
using System.Runtime.CompilerServices;
using NativeThreading;
using NativeThreading.Testing;
using NativeThreading.Tests.Support;
using Xunit;

namespace NativeThreading.Testing.Tests.Documentation;

/// <summary>The code of docs/guides/size-a-pool.md and docs/guides/testing.md, run.</summary>
public sealed class LimitsSnippets
{
    [Fact]
    public async Task Pool()
    {
        await using var pool = new NativeThreadPool(new NativeThreadPoolOptions
        {
            Name = "reports",
            MaxThreads = 4,
            MaxBlockedThreads = 50,
            QueueLimit = 200,
            QueueFullMode = QueueFullMode.Wait,
        });

        Assert.Equal((200, QueueFullMode.Wait), (pool.QueueLimit, pool.QueueFullMode));
    }

    [Fact]
    public async Task TryQueue()
    {
        await using NativeThreadPool pool = NewPool(QueueFullMode.Reject);
        Order[] orders = [new(), new()];
        using (new Occupied(pool))
        {
            foreach (Order order in orders)
            {
                if (!pool.TryQueueUserWorkItem(static order => order.Ship(), order, preferLocal: false))
                {
                    order.Postpone();
                }
            }
        }

        await pool.ShutdownAsync(TestContext.Current.CancellationToken);
        Assert.Equal([(true, null), (false, "full")], orders.Select(order => (order.IsShipped, order.Postponed)));
    }

    [Fact]
    public async Task Reject()
    {
        await using NativeThreadPool pool = NewPool(QueueFullMode.Reject);
        Order first = new(), order = new(), last = new();
        Task accepted;
        using (new Occupied(pool))
        {
            accepted = pool.RunAsync(first.Ship, TestContext.Current.CancellationToken);
            await RejectAsync(pool, order);
            Assert.False(accepted.IsCompleted);
        }

        await Deadline.For(accepted); // till then it has the only permit
        await RejectAsync(pool, last);
        Assert.Equal((false, "limited has 1 waiting"), (order.IsShipped, order.Postponed));
        Assert.Equal([true, true], new[] { first, last }.Select(shipped => shipped.IsShipped));
    }

    [Fact]
    public async Task Wait()
    {
        await using NativeThreadPool pool = NewPool(QueueFullMode.Wait);
        Order[] all = [new(), new(), new()];
        Task shipping;
        using (new Occupied(pool))
        {
            shipping = ShipAsync(pool, Each(all, TestContext.Current.CancellationToken), TestContext.Current.CancellationToken);
            Assert.False(shipping.IsCompleted);
        }

        await Deadline.For(shipping);
        await pool.ShutdownAsync(TestContext.Current.CancellationToken);
        Assert.All(all, order => Assert.True(order.IsShipped));
    }

    [Fact]
    public async Task Cancelling()
    {
        await using NativeThreadPool pool = NewPool(QueueFullMode.Wait);
        var order = new Order();
        using (new Occupied(pool))
        {
            using var patience = new CancellationTokenSource();
            Task shipped = pool.RunAsync(order.Ship, patience.Token);
            Task asked = pool.QueueAsync(static order => order.Ship(), order, patience.Token).AsTask();
            patience.Cancel();

            await Assert.ThrowsAnyAsync<OperationCanceledException>(() => Deadline.For(shipped));
            await Assert.ThrowsAnyAsync<OperationCanceledException>(() => Deadline.For(asked));
            Assert.True(pool.TryQueueUserWorkItem(_ => { }, null));
        }

        await pool.ShutdownAsync(TestContext.Current.CancellationToken);
        Assert.False(order.IsShipped);
    }

    [Fact]
    public void Groups()
    {
        using var pool = new NativeThreadPool(new NativeThreadPoolOptions { Name = "limited", QueueLimit = 2 });
        Order[] orders = [new(), new()];

        var group = new WorkGroup(pool);
        group.QueueRange(static order => order.Ship(), orders);          // from outside: a permit for each, all or none
        group.Wait();

        Assert.All(orders, order => Assert.True(order.IsShipped));
        Assert.Throws<QueueFullException>(() => group.QueueRange(static order => order.Ship(), [.. orders, new Order()]));
    }

    [Fact]
    public async Task TestingStepByStep()
    {
        var pool = new ManualThreadPool();
        Task<int> words = new Indexer(pool).IndexAsync("two words");

        Assert.True(pool.RunOne());                                      // to the first await
        Assert.False(words.IsCompleted);
        pool.RunAll();                                                   // the rest
        Assert.Equal(2, await words);
    }

    [Fact]
    public async Task Testing()
    {
        Order[] orders = [new(), new(), new()];

#pragma warning disable xUnit1051 // A reader's code has no test's token.
        var pool = new ManualThreadPool(queueLimit: 1, queueFullMode: QueueFullMode.Wait);
        Task shipping = pool.Run(() => Shop.ShipAllAsync(pool, orders)); // your code: awaits QueueAsync for each order

        pool.RunOne();                                                   // one order is accepted, and the code waits for the next permit
        Assert.Equal((1, 1), (pool.PendingWorkItemCount, pool.WaitingCallerCount));
        pool.RunAll();
        Assert.All(orders, order => Assert.True(order.IsShipped));

#pragma warning restore xUnit1051
        await Deadline.For(shipping);
    }

    private static NativeThreadPool NewPool(QueueFullMode mode) => new(new NativeThreadPoolOptions
    {
        Name = "limited",
        MaxThreads = 1,
        MaxBlockedThreads = 0,
        QueueLimit = 1,
        QueueFullMode = mode,
    });

    private static async Task RejectAsync(NativeThreadPool pool, Order order)
    {
        try
        {
            await pool.RunAsync(order.Ship);
        }
        catch (QueueFullException full)
        {
            order.Postpone($"{full.PoolName} has {full.QueueLimit} waiting");
        }
    }

    private static async Task ShipAsync(NativeThreadPool pool, IAsyncEnumerable<Order> orders, CancellationToken cancellationToken)
    {
        await foreach (Order order in orders)
        {
            await pool.QueueAsync(static order => order.Ship(), order, cancellationToken);          // accepted
        }
    }

    private static async IAsyncEnumerable<Order> Each(Order[] orders, [EnumeratorCancellation] CancellationToken cancellationToken)
    {
        foreach (Order order in orders)
        {
            await Task.Yield();
            cancellationToken.ThrowIfCancellationRequested();
            yield return order;
        }
    }

    [SuppressMessage("Performance", "CA1859", Justification = "Taking the interface is what it shows.")]
    private static class Shop
    {
        public static async Task ShipAllAsync(IWorkScheduler scheduler, IEnumerable<Order> orders)
        {
            foreach (Order order in orders)
            {
                await scheduler.QueueAsync(static order => order.Ship(), order);
            }
        }
    }

    private sealed class Indexer(IWorkScheduler scheduler)
    {
        public Task<int> IndexAsync(string text) => scheduler.Run(async () =>
        {
            await Task.Yield();
            return text.Split(' ').Length;
        });
    }

    private sealed class Order
    {
        private volatile bool _isShipped;

        public bool IsShipped => _isShipped;

        public string? Postponed { get; private set; }

        public void Ship() => _isShipped = true;

        public void Postpone(string why = "full") => Postponed = why;
    }

    /// <summary>Keeps the one thread of a pool from taking anything.</summary>
    private sealed class Occupied : IDisposable
    {
        private readonly ManualResetEventSlim _release = new();
        private readonly Task _item;

        public Occupied(NativeThreadPool pool)
        {
            using var started = new ManualResetEventSlim();
            _item = pool.Run(() =>
            {
                started.Set();
                Deadline.Wait(_release);
            });
            Deadline.Wait(started);
        }

        public void Dispose()
        {
            _release.Set();
            Deadline.Wait(_item);
            _release.Dispose();
        }
    }
}
