namespace NativeThreading.Tables.Order;

/// <summary>A pool of either kind; both sides pay for one interface call.</summary>
internal interface IOrderPool
{
    void Queue(OrderItem item);

    void StartTask(OrderItem item);

    void Queue(Action<OrderRun> produce, OrderRun run);
}

/// <summary>The runtime's own.</summary>
internal sealed class BuiltInOrderPool : IOrderPool
{
    public void Queue(OrderItem item) => ThreadPool.QueueUserWorkItem(OrderItem.RunTyped, item, preferLocal: false);

    public void StartTask(OrderItem item) =>
        _ = Task.Factory.StartNew(OrderItem.RunObject, item, CancellationToken.None, TaskCreationOptions.None, TaskScheduler.Default);

    public void Queue(Action<OrderRun> produce, OrderRun run) => ThreadPool.QueueUserWorkItem(produce, run, preferLocal: false);
}

/// <summary>A pool of ours with a worker per processor.</summary>
internal sealed class NativeOrderPool(int? limit) : IOrderPool, IDisposable
{
    public const int QueueLimit = 100;

    private readonly NativeThreadPool _pool = new(new NativeThreadPoolOptions
    {
        Name = "order",
        MaxThreads = Environment.ProcessorCount,
        QueueLimit = limit,
        QueueFullMode = QueueFullMode.Wait,
    });

    public static NativeOrderPool Unlimited { get; } = new(null);

    public static NativeOrderPool Limited { get; } = new(QueueLimit);

    public void Queue(OrderItem item) => _pool.QueueUserWorkItem(OrderItem.RunTyped, item, preferLocal: false);

    public void StartTask(OrderItem item) => _ = _pool.Factory.StartNew(OrderItem.RunObject, item);

    public void Queue(Action<OrderRun> produce, OrderRun run) => _pool.QueueUserWorkItem(produce, run, preferLocal: false);

    public void Dispose() => _pool.Dispose();
}
