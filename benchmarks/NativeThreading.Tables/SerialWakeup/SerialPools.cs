using System.Globalization;
using NativeThreading.Tables.Quiet;
using NativeThreading.Tables.Xtask;

namespace NativeThreading.Tables.SerialWakeup;

/// <summary>Ours, and its own semaphore.</summary>
internal sealed class NativeSerialPool : ISerialPool
{
    private static readonly TimeSpan s_deadline = TimeSpan.FromSeconds(30);

    private readonly LifoSemaphore _semaphore = new(0);
    private readonly NativeThreadPool _pool;

    public NativeSerialPool(int threads)
    {
        _pool = new NativeThreadPool(new NativeThreadPoolOptions
        {
            Name = string.Create(CultureInfo.InvariantCulture, $"serial-{threads}"),
            MaxThreads = threads,
            IdleTimeout = Timeout.InfiniteTimeSpan,
        });
        WatchedPool.Fill(work => _pool.QueueUserWorkItem(_ => work()), threads, s_deadline);
    }

    public void Submit(Trip trip) => _pool.UnsafeQueueUserWorkItem(static trip => trip.Run(), trip, preferLocal: false);

    public bool Wait() => _semaphore.Wait(s_deadline);

    public void Signal() => _semaphore.Release();

    public void Dispose()
    {
        _pool.Dispose();
        _semaphore.Dispose();
    }
}

/// <summary>The runtime's pool, held at that many threads, and the semaphore that comes with it.</summary>
internal sealed class BuiltInSerialPool : ISerialPool
{
    private static readonly TimeSpan s_deadline = TimeSpan.FromSeconds(30);

    private readonly SemaphoreSlim _semaphore = new(0);
    private readonly BuiltInPoolSize _size;

    public BuiltInSerialPool(int threads)
    {
        _size = new BuiltInPoolSize(threads);
        WatchedPool.Fill(work => ThreadPool.UnsafeQueueUserWorkItem(_ => work(), null), threads, s_deadline);
    }

    public void Submit(Trip trip) => ThreadPool.UnsafeQueueUserWorkItem(static trip => trip.Run(), trip, preferLocal: false);

    public bool Wait() => _semaphore.Wait(s_deadline);

    public void Signal() => _semaphore.Release();

    public void Dispose()
    {
        _size.Dispose();
        _semaphore.Dispose();
    }
}
