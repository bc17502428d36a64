using System.Globalization;

namespace NativeThreading.Workloads.SerialWakeup;

/// <summary>To a NativeThreadPool with that many threads; waits on a LifoSemaphore.</summary>
internal sealed class NativeSubmitter : ISubmitter
{
    private readonly LifoSemaphore _semaphore = new(0);
    private readonly OwnPool _pool;

    public NativeSubmitter(int threads)
    {
        _pool = OwnPool.Lasting(string.Create(CultureInfo.InvariantCulture, $"serial-{threads}"), threads);
        _pool.Fill(threads);
    }

    public void Submit(Trip trip) => _pool.UnsafeQueue(static trip => trip.Run(), trip, preferLocal: false);

    public bool Wait() => _semaphore.Wait(PoolExtensions.Deadline);

    public void Signal() => _semaphore.Release();

    public void Dispose()
    {
        _pool.Dispose();
        _semaphore.Dispose();
    }
}

/// <summary>To the built-in pool, held at that many threads; waits on the semaphore that comes with it.</summary>
internal sealed class BuiltInSubmitter : ISubmitter
{
    private readonly SemaphoreSlim _semaphore = new(0);
    private readonly BuiltInPoolSize _size;

    public BuiltInSubmitter(int threads)
    {
        _size = new BuiltInPoolSize(threads);
        default(BuiltInPool).Fill(threads);
    }

    public void Submit(Trip trip) => default(BuiltInPool).UnsafeQueue(static trip => trip.Run(), trip, preferLocal: false);

    public bool Wait() => _semaphore.Wait(PoolExtensions.Deadline);

    public void Signal() => _semaphore.Release();

    public void Dispose()
    {
        _size.Dispose();
        _semaphore.Dispose();
    }
}
