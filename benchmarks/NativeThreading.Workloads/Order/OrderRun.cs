namespace NativeThreading.Workloads.Order;

/// <summary>One run of one row on one pool.</summary>
internal sealed class OrderRun
{
    private static readonly TimeSpan s_deadline = TimeSpan.FromSeconds(60);

    private readonly OrderShape _shape;
    private readonly OrderItem[][] _items;
    private readonly TaskCompletionSource _othersEnded = new();
    private readonly TaskCompletionSource _allEnded = new();
    private PaddedCount _left;

    private OrderRun(OrderShape shape)
    {
        _shape = shape;
        _items = [.. Enumerable.Range(0, shape.Producers).Select(_ => shape.CreateItems(this))];
        _left.Value = _items.Sum(static items => items.Length);
    }

    /// <summary>How far behind later ones the items started, and what the run cost per item.</summary>
    /// <exception cref="MeasurementException">An item did not run, or twice.</exception>
    public static (Overtaking Overtaking, Sample Usage) Measure<TPool>(OrderShape shape, TPool pool)
        where TPool : struct, IPool
    {
        var run = new OrderRun(shape);
        Meter meter = Meter.Start();
        run.Produce(pool);
        bool ended = run._allEnded.Task.Wait(s_deadline);
        Reading reading = meter.Stop();

        long wrong = run._items.Sum(static items => items.Count(static item => item.Runs != 1));
        if (!ended || wrong != 0)
        {
            throw new MeasurementException(
                $"{shape.Name}: {wrong:N0} items did not run exactly once{(ended ? "" : " before the deadline")} (T122).");
        }

        long[][] starts = [.. run._items.Select(static items => items.Select(static item => item.Started).ToArray())];
        return (Overtaking.Of(starts, shape.Unjudged), reading.NanosecondsPer(run._items.Sum(static items => items.Length)));
    }

    /// <summary>What the blocking item waits for: it is the last one to end.</summary>
    public void AwaitOthers() => _othersEnded.Task.Wait(s_deadline);

    public void Ended()
    {
        switch (Interlocked.Decrement(ref _left.Value))
        {
            case 1:
                _othersEnded.SetResult();
                break;
            case 0:
                _allEnded.SetResult();
                break;
        }
    }

    /// <summary>Each item costs the producer one call of a delegate and one of the pool.</summary>
    private void Produce<TPool>(TPool pool)
        where TPool : struct, IPool
    {
        Action<OrderItem> queue = item => pool.Queue(OrderItem.RunTyped, item, preferLocal: false);
        switch (_shape.Queueing)
        {
            case Queueing.Worker:
                pool.Queue<Action>(static produce => produce(), () => Array.ForEach(_items[0], queue), preferLocal: false);
                break;
            case Queueing.Factory:
                Array.ForEach(_items[0], item => pool.Start(OrderItem.RunObject, item));
                break;
            case Queueing.Outside when _shape.Producers > 1:
                ProduceTogether(queue);
                break;
            default:
                Array.ForEach(_items[0], queue);
                break;
        }
    }

    private void ProduceTogether(Action<OrderItem> queue)
    {
        using var begin = new Barrier(_items.Length);
        Thread[] threads =
        [
            .. _items.Select(items => new Thread(() =>
            {
                begin.SignalAndWait();
                Array.ForEach(items, queue);
            })
            { IsBackground = true }),
        ];
        Array.ForEach(threads, static thread => thread.Start());
        Array.ForEach(threads, static thread => thread.Join());
    }
}
