using System.Collections.Concurrent;
using NativeThreading;
using NativeThreading.Tests.Support;

namespace NativeThreading.Repository.Tests.Documentation;

/// <summary>The code of docs/guides/one-at-a-time-per-key.md, run: order, overlap, and what is left of idle keys.</summary>
public sealed class OneAtATimeSnippets
{
    private const int Largest = 7;

    [Fact]
    public async Task HandlersOfACustomer_NeverOverlap_AndKeepTheirOrder()
    {
        await using var pool = new NativeThreadPool(new NativeThreadPoolOptions { Name = "orders", MaxThreads = 4 });
        var customers = new KeyedQueue<string>(pool);

        var imported = new ConcurrentQueue<Order>();
        Order[] orders = [.. Enumerable.Range(0, 150).Select(number => new Order($"customer {number % 3}", number, imported))];

        await Deadline.For(Task.WhenAll(orders.Select(ImportAsync)));
        foreach (IGrouping<string, Order> ofOne in imported.GroupBy(order => order.Customer))
        {
            Assert.Equal(ofOne.Select(order => order.Number).Order(), ofOne.Select(order => order.Number));
            Assert.All(ofOne, order => Assert.Equal("orders", order.EndedOn));
        }

        Assert.Equal(orders.Length, imported.Count);
        Deadline.Until(() => customers.KeyCount == 0);

        async Task ImportAsync(Order order)
        {
            await customers.Run(order.Customer, () => order.ImportAsync());
        }
    }

    [Theory]
    [InlineData(1)]
    [InlineData(Largest)]
    public void Booking_IsPosted(int account)
    {
        using var pool = new NativeThreadPool();
        using var posted = new ManualResetEventSlim();
        var booking = new Booking(posted);

        var accounts = new KeyedQueue<int>(pool, maxConcurrencyPerKey: 2, limitPerKey: 1000, weightOf: account => account == Largest ? 10 : 1);
        bool accepted = accounts.TryQueue(account, static booking => booking.Post(), booking);

        Assert.True(accepted);
        Deadline.Wait(posted);
    }

    [Fact]
    public async Task Journal_NeedsNoLock()
    {
        await using var pool = new NativeThreadPool();
        var entries = new List<string>();

        var journal = new Sequencer(pool);
        int size = await journal.Run(() => entries.Count);
        Task added = Task.Factory.StartNew(() => entries.Add("opened"), CancellationToken.None, TaskCreationOptions.DenyChildAttach, journal.Scheduler);

        await Deadline.For(added);
        Assert.Equal((0, 1), (size, await Deadline.For(journal.Run(() => entries.Count))));
    }

    private sealed class Booking(ManualResetEventSlim posted)
    {
        public void Post() => posted.Set();
    }

    private sealed class Order(string customer, int number, ConcurrentQueue<Order> imported)
    {
        private static readonly ConcurrentDictionary<string, string> s_underWay = new();

        public string Customer => customer;

        public int Number => number;

        public string? EndedOn { get; private set; }

        public async Task ImportAsync()
        {
            Assert.True(s_underWay.TryAdd(customer, customer));
            await Task.Yield();
            imported.Enqueue(this);
            await Task.Yield();
            EndedOn = NativeThreadPool.Current?.Name;
            Assert.True(s_underWay.TryRemove(customer, out _));
        }
    }
}
