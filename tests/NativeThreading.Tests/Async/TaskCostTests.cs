using NativeThreading.Tests.Support;

namespace NativeThreading.Tests.Async;

/// <summary>What tasks allocate on a pool beside what the framework allocates anywhere.</summary>
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
