using System.Collections;
using System.Collections.Concurrent;
using System.Reflection;
using NativeThreading;
using NativeThreading.Tests.Support;

namespace NativeThreading.Repository.Tests.Documentation;

/// <summary>The code of docs/guides/one-at-a-time-per-key.md, run: order, overlap, failures, and what is left behind.</summary>
public sealed class OneAtATimeSnippets
{
    private static readonly string[] s_customers = ["ada", "ben", "cyd"];

    private int _booked;

    [Fact]
    public async Task HandlersOfACustomer_NeverOverlap_AndKeepTheirOrder()
    {
        const int each = 50;
        await using var pool = new NativeThreadPool(new NativeThreadPoolOptions { Name = "orders", MaxThreads = 4 });
        var customers = new OneAtATime<string>(pool);
        var imported = new ConcurrentQueue<Order>();
        Order[] orders = [.. Enumerable.Range(0, each).SelectMany(number => s_customers.Select(customer => new Order(customer, number, imported)))];

        await Deadline.For(Task.WhenAll(orders.Select(order => ImportAsync(customers, order))));

        foreach (IGrouping<string, Order> ofOne in imported.GroupBy(order => order.Customer))
        {
            Assert.Equal(Enumerable.Range(0, each), ofOne.Select(order => order.Number));
            Assert.All(ofOne, order => Assert.Equal((1, "orders"), (order.AtOnce, order.EndedOn)));
        }

        Assert.Equal(orders.Length, imported.Count);
        Assert.Empty(Left(customers));
    }

    [Fact]
    public async Task SlowCustomer_HoldsUpNobodyElse_AndNoThread()
    {
        await using var pool = new NativeThreadPool(new NativeThreadPoolOptions { MaxThreads = 1, MaxBlockedThreads = 0 });
        var customers = new OneAtATime<string>(pool);
        var slow = new TaskCompletionSource();
        bool came = false;
        Task first = customers.Run("ada", () => slow.Task);
        Task second = customers.Run("ada", () =>
        {
            came = true;
            return Task.CompletedTask;
        });

        await Deadline.For(customers.Run("ben", () => Task.CompletedTask));
        bool overtaken = first.IsCompleted || second.IsCompleted || came;

        slow.SetResult(); // before anything is asserted: the pool's end waits for it
        await Deadline.For(Task.WhenAll(first, second));
        Assert.Equal((false, true), (overtaken, came));
        Assert.Empty(Left(customers));
    }

    [Fact]
    public async Task HandlerThatThrows_AndPoolThatRefuses_HandTheirTurnOn()
    {
        var pool = new NativeThreadPool(new NativeThreadPoolOptions { MaxThreads = 1 });
        var customers = new OneAtATime<int>(pool);
        Task fails = customers.Run(1, () => throw new FormatException("thrown"));
        Task next = customers.Run(1, () => Task.CompletedTask);
        await Assert.ThrowsAsync<FormatException>(() => Deadline.For(fails));
        await Deadline.For(next);

        await Deadline.For(pool.DisposeAsync().AsTask());
        await Assert.ThrowsAsync<ObjectDisposedException>(() => Deadline.For(customers.Run(1, () => Task.CompletedTask)));
        Assert.Empty(Left(customers));
    }

    [Fact]
    public async Task WithoutAwaits_ASchedulerWillDo()
    {
        await using var pool = new NativeThreadPool();
        await Deadline.For(BookAsync(pool));
        Assert.Equal(1, _booked);
    }

    private static async Task ImportAsync(OneAtATime<string> customers, Order order)
    {
        await customers.Run(order.Customer, () => order.ImportAsync());
    }

    private async Task BookAsync(NativeThreadPool pool)
    {
        TaskScheduler account = new ConcurrentExclusiveSchedulerPair(pool.Scheduler).ExclusiveScheduler;
        Task booked = Task.Factory.StartNew(Book, CancellationToken.None, TaskCreationOptions.DenyChildAttach, account);

        await booked;
    }

    private void Book() => _booked++;

    /// <summary>The keys that are remembered; a page has no member for that.</summary>
    private static ICollection Left<TKey>(OneAtATime<TKey> customers)
        where TKey : notnull =>
        (ICollection)typeof(OneAtATime<TKey>).GetField("_last", BindingFlags.Instance | BindingFlags.NonPublic)!.GetValue(customers)!;

    /// <summary>Handlers of one key run one after the other, in the order of the calls. Handlers of different keys run in parallel.</summary>
    public sealed class OneAtATime<TKey>(NativeThreadPool pool)
        where TKey : notnull
    {
        private readonly Dictionary<TKey, Task> _last = [];

        public async Task Run(TKey key, Func<Task> handler)
        {
            var turn = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
            Task before;
            lock (_last)
            {
                before = _last.GetValueOrDefault(key, Task.CompletedTask);
                _last[key] = turn.Task;                     // sets the order: the order of the calls
            }

            try
            {
                await pool.SwitchTo();                      // the awaits below resume on the pool
                await before;                               // no thread waits, and a turn never fails
                await pool.RunAsync(handler);
            }
            finally
            {
                lock (_last)
                {
                    if (_last[key] == turn.Task)
                    {
                        _last.Remove(key);                  // no later call
                    }
                }

                turn.SetResult();
            }
        }
    }

    private sealed class Order(string customer, int number, ConcurrentQueue<Order> imported)
    {
        private static readonly ConcurrentDictionary<string, StrongBox> s_underWay = new();

        public string Customer => customer;

        public int Number => number;

        public int AtOnce { get; private set; }

        public string? EndedOn { get; private set; }

        public async Task ImportAsync()
        {
            StrongBox underWay = s_underWay.GetOrAdd(customer, static _ => new StrongBox());
            AtOnce = Interlocked.Increment(ref underWay.Count);
            await Task.Yield();
            imported.Enqueue(this);
            await Task.Yield();
            AtOnce = Math.Max(AtOnce, Volatile.Read(ref underWay.Count));
            EndedOn = NativeThreadPool.Current?.Name;
            Interlocked.Decrement(ref underWay.Count);
        }

        private sealed class StrongBox
        {
            public int Count;
        }
    }
}
