using NativeThreading.Tests.Support;

namespace NativeThreading.Tests.Tasks;

/// <summary>What tasks allocate on a pool, compared with what the framework allocates anywhere.</summary>
public sealed class TaskCostTests : IDisposable
{
    private const int Many = 100; // fewer than a new queue holds

    private readonly NativeThreadPool _pool = Pools.WithThreads(1);

    public void Dispose() => _pool.Dispose();

    [Fact]
    public void QueuedTask_CostsNothingBesideTheTask()
    {
        Action action = static () => { };
        _pool.OnWorker(() => Bytes(() => new Task(action).Start(_pool.Scheduler)));
        _pool.WaitUntilQuiet();
        (long created, long queued) = _pool.OnWorker(() => (Bytes(() => _ = new Task(action)), Bytes(() => new Task(action).Start(_pool.Scheduler))));
        Assert.Equal(created, queued);
    }

    /// <summary>Its promise, a task of 72 bytes, and what the item needs of it.</summary>
    [Fact]
    public void QueuedOperation_CostsItsPromise()
    {
        Func<Task> operation = static () => Task.CompletedTask;
        _pool.OnWorker(() => Bytes(() => _pool.Run(operation)));
        _pool.WaitUntilQuiet();
        Assert.InRange(_pool.OnWorker(() => Bytes(() => _pool.Run(operation))), 0, Many * (72 + 40));
    }

    private static long Bytes(Action action)
    {
        long before = GC.GetAllocatedBytesForCurrentThread();
        for (int i = 0; i < Many; i++)
        {
            action();
        }

        return GC.GetAllocatedBytesForCurrentThread() - before;
    }
}
