using NativeThreading.Tests.Support;

namespace NativeThreading.Tests.Contract;

/// <summary>The order in which the items of one producer begin, on a single worker.</summary>
public sealed class OrderTests : IDisposable
{
    private const int Items = 10_000;

    private readonly NativeThreadPool _pool = Pools.WithThreads(1);
    private readonly List<int> _order = [];

    public void Dispose() => _pool.Dispose();

    [Theory, CombinatorialBooleans]
    public void ItemsFromOutside_BeginInTheirOrder(bool preferLocal)
    {
        for (int i = 0; i < Items; i++)
        {
            _pool.QueueUserWorkItem(_order.Add, i, preferLocal);
        }

        _pool.WaitUntilQuiet();
        Assert.Equal(Enumerable.Range(0, Items), _order);
    }

    [Fact]
    public void GlobalItemsFromAWorker_BeginInTheirOrder()
    {
        _pool.OnWorker(() =>
        {
            for (int i = 0; i < Items; i++)
            {
                _pool.QueueUserWorkItem(_order.Add, i, preferLocal: false);
            }
        });
        _pool.WaitUntilQuiet();
        Assert.Equal(Enumerable.Range(0, Items), _order);
    }

    [Fact]
    public void LocalItemsFromAWorker_BeginNewestFirst()
    {
        _pool.OnWorker(() =>
        {
            for (int i = 0; i < Items; i++)
            {
                _pool.QueueUserWorkItem(_order.Add, i, preferLocal: true);
            }
        });
        _pool.WaitUntilQuiet();
        Assert.Equal(Enumerable.Range(0, Items).Reverse(), _order);
    }

    [Fact]
    public void ItemsOfManyProducers_KeepTheOrderOfEach()
    {
        const int producers = 4;
        var order = new List<(int Producer, int Number)>();
        StartGate.Run(producers, producer =>
        {
            for (int i = 0; i < Items; i++)
            {
                _pool.QueueUserWorkItem(order.Add, (producer, i), preferLocal: false);
            }
        });
        _pool.WaitUntilQuiet();
        foreach (var own in order.GroupBy(item => item.Producer))
        {
            Assert.Equal(Enumerable.Range(0, Items), own.Select(item => item.Number));
        }

        Assert.Equal(producers * Items, order.Count);
    }

    [Fact]
    public void TasksFromOutside_BeginInTheirOrder()
    {
        var tasks = new Task[Items];
        for (int i = 0; i < Items; i++)
        {
            int number = i;
            tasks[i] = _pool.Run(() => _order.Add(number));
        }

        Deadline.Wait(Task.WhenAll(tasks));
        Assert.Equal(Enumerable.Range(0, Items), _order);
    }
}
