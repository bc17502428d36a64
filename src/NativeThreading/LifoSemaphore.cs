using System.Diagnostics;
using NativeThreading.Diagnostics;
using NativeThreading.Platform;

namespace NativeThreading;

/// <summary>A counting semaphore that wakes the thread that has waited for the shortest time. That thread's caches are still warm, and
/// surplus threads stay asleep.</summary>
/// <remarks>All members may be called from any thread. There is no fairness: a waiter at the bottom of the stack waits for as long as
/// others keep coming, and a call that finds a permit takes it before parked waiters. On the native core at most one waiter of the process
/// polls for about one wake latency before it parks. A blocking wait cannot be interrupted.</remarks>
/// <example>
/// <code>
/// using var semaphore = new LifoSemaphore(2);
/// semaphore.Wait();
/// semaphore.Release();
/// </code>
/// </example>
[DebuggerDisplay("{IsDisposed ? 0 : CurrentCount} permits, {IsDisposed ? 0 : WaiterCount} waiters")]
[DebuggerTypeProxy(typeof(SemaphoreView))]
public sealed class LifoSemaphore : IDisposable
{
    private readonly CoreSemaphore _core;

    private bool _disposed;

    /// <summary>Creates a semaphore.</summary>
    /// <param name="initialCount">Permits to begin with, 0 or more.</param>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="initialCount"/> is negative.</exception>
    /// <exception cref="PlatformNotSupportedException">The native core was asked for, and its library is missing or of another version.</exception>
    public LifoSemaphore(int initialCount = 0)
        : this(initialCount, lingers: true)
    {
    }

    internal LifoSemaphore(int initialCount, bool lingers)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(initialCount);
        CoreChoice.EnsureUsable();
        _core = CoreSemaphore.Create(initialCount, lingerNanoseconds: lingers ? -1 : 0);
    }

    /// <summary>Gets the number of available permits: a snapshot.</summary>
    /// <exception cref="ObjectDisposedException">The semaphore was disposed.</exception>
    public int CurrentCount
    {
        get
        {
            ThrowIfDisposed();
            return _core.Permits;
        }
    }

    /// <summary>Takes a permit, waiting for as long as it takes.</summary>
    /// <exception cref="ObjectDisposedException">The semaphore was disposed.</exception>
    public void Wait() => Wait(Timeout.InfiniteTimeSpan);

    /// <summary>Takes a permit if there is one, without waiting and without a system call.</summary>
    /// <returns>Whether a permit was taken.</returns>
    /// <exception cref="ObjectDisposedException">The semaphore was disposed.</exception>
    public bool TryWait()
    {
        ThrowIfDisposed();
        return _core.TryWait();
    }

    /// <summary>Takes a permit, waiting for at most the given time.</summary>
    /// <param name="timeout">0 or more, or <see cref="Timeout.InfiniteTimeSpan"/>.</param>
    /// <returns>Whether a permit was taken.</returns>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="timeout"/> is negative and not infinite.</exception>
    /// <exception cref="ObjectDisposedException">The semaphore was disposed before the call.</exception>
    public bool Wait(TimeSpan timeout)
    {
        long nanoseconds = -1;
        if (timeout != Timeout.InfiniteTimeSpan)
        {
            OptionRange.ThrowIfNegative(nameof(timeout), timeout);
            nanoseconds = timeout.Ticks > long.MaxValue / TimeSpan.NanosecondsPerTick
                ? long.MaxValue
                : timeout.Ticks * TimeSpan.NanosecondsPerTick;
        }

        ThrowIfDisposed();
        return _core.Wait(nanoseconds);
    }

    /// <summary>Adds permits and wakes as many waiters as can use them.</summary>
    /// <param name="count">1 or more.</param>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="count"/> is less than 1.</exception>
    /// <exception cref="SemaphoreFullException">There would be more than <see cref="int.MaxValue"/> permits; none was added.</exception>
    /// <exception cref="ObjectDisposedException">The semaphore was disposed.</exception>
    public void Release(int count = 1)
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(count, 1);
        ThrowIfDisposed();
        if (!_core.Release(count))
        {
            throw new SemaphoreFullException();
        }
    }

    /// <summary>Refuses further calls. Threads that wait already keep waiting, and the memory is freed when the last has left. So dispose
    /// a semaphore when no thread waits.</summary>
    public void Dispose()
    {
        Volatile.Write(ref _disposed, true);
        _core.Dispose();
    }

    /// <summary>Threads that wait: a snapshot.</summary>
    internal int WaiterCount => _core.Waiters;

    internal bool IsDisposed => Volatile.Read(ref _disposed);

    private void ThrowIfDisposed() => ObjectDisposedException.ThrowIf(Volatile.Read(ref _disposed), this);
}
