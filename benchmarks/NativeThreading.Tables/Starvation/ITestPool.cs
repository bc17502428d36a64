namespace NativeThreading.Tables.Starvation;

/// <summary>A pool of either kind, for scenarios whose items take milliseconds: an interface call more does not matter.</summary>
internal interface ITestPool : IDisposable
{
    void Queue(Action work);

    /// <summary>Runs an async function; its continuations need a worker of the pool.</summary>
    Task Run(Func<Task> function);
}

/// <summary>The runtime's own pool. It keeps the threads it has grown, so each run needs a process of its own.</summary>
internal sealed class BuiltInTestPool : ITestPool
{
    public void Queue(Action work) => ThreadPool.UnsafeQueueUserWorkItem(static work => ((Action)work!)(), work);

    public Task Run(Func<Task> function) => Task.Run(function);

    public void Dispose()
    {
    }
}

/// <summary>No pool: a new thread for each item. What blocked items cost at least where each of them begins.</summary>
internal sealed class ThreadPerItem : ITestPool
{
    public void Queue(Action work) => new Thread(() => work()) { IsBackground = true }.UnsafeStart();

    public Task Run(Func<Task> function) => throw new NotSupportedException("Continuations need a pool.");

    public void Dispose()
    {
    }
}

/// <summary>A new pool of ours, with the default options.</summary>
internal sealed class NativeTestPool(NativeThreadPoolOptions options) : ITestPool
{
    public NativeTestPool()
        : this(new NativeThreadPoolOptions { Name = "starve" })
    {
    }

    public NativeThreadPool Pool { get; } = new(options);

    public void Queue(Action work) => Pool.UnsafeQueueUserWorkItem(static work => ((Action)work!)(), work);

    public Task Run(Func<Task> function) => Pool.Run(function);

    public void Dispose() => Pool.Dispose();
}
