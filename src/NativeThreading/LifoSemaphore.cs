using System.Diagnostics;
using NativeThreading.Diagnostics;
using NativeThreading.Platform;

namespace NativeThreading;

/// <summary>A counting semaphore that wakes the thread that has waited for the shortest time. That thread's caches are still warm, and
/// surplus threads stay asleep.</summary>
/// <remarks>All members may be called from any thread. There is no fairness: a thread that waits longest is woken last, and a call that finds a
/// free permit takes it before waiting threads. On the native core at most one waiting thread of the process polls, for about one wake-up latency,
/// before it parks. <see cref="Thread.Interrupt"/> does not end a wait.</remarks>
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
    /// <param name="initialCount">The number of permits at the start, 0 or more.</param>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="initialCount"/> is negative.</exception>
    /// <exception cref="PlatformNotSupportedException">A setting requires the native core, and its library is missing or of another version.</exception>
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

    /// <summary>Takes a permit. Blocks the thread until there is one, without a time limit.</summary>
    /// <exception cref="ObjectDisposedException">The semaphore was disposed.</exception>
    public void Wait() => Wait(Timeout.InfiniteTimeSpan);

    /// <summary>Takes a permit if there is one, without waiting and without a system call.</summary>
    /// <returns><see langword="true"/> if a permit was taken; <see langword="false"/> if there is none.</returns>
    /// <exception cref="ObjectDisposedException">The semaphore was disposed.</exception>
    public bool TryWait()
    {
        ThrowIfDisposed();
        return _core.TryWait();
    }

    /// <summary>Takes a permit. Blocks the thread until there is one, for at most the given time.</summary>
    /// <param name="timeout">The longest wait: 0 or more, or <see cref="Timeout.InfiniteTimeSpan"/>.</param>
    /// <returns><see langword="true"/> if a permit was taken; <see langword="false"/> if the time is over.</returns>
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
    /// <param name="count">The number of permits to add, 1 or more.</param>
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

    /// <summary>Makes further calls throw an <see cref="ObjectDisposedException"/>. Threads that wait already keep waiting, and the memory is freed
    /// when the last one has left. So dispose a semaphore when no thread waits. May be repeated.</summary>
    public void Dispose()
    {
        Volatile.Write(ref _disposed, true);
        _core.Dispose();
    }

    /// <summary>The number of waiting threads: a snapshot.</summary>
    internal int WaiterCount => _core.Waiters;

    internal bool IsDisposed => Volatile.Read(ref _disposed);

    private void ThrowIfDisposed() => ObjectDisposedException.ThrowIf(Volatile.Read(ref _disposed), this);
}
