namespace NativeThreading.Platform;

/// <summary>The LIFO semaphore of the core that runs.</summary>
internal readonly struct CoreSemaphore(NativeSemaphoreHandle? native, ManagedLifoSemaphore? managed)
{
    /// <summary>The native semaphore, if that runs.</summary>
    public NativeSemaphoreHandle? Native => native;

    /// <summary>A snapshot.</summary>
    public int Permits => CoreChoice.IsManaged ? managed!.Permits : native!.Permits;

    /// <summary>Threads that are parked: a snapshot.</summary>
    public int Waiters => CoreChoice.IsManaged ? managed!.Waiters : native!.Waiters;

    /// <param name="permits">The number of permits at the start.</param>
    /// <param name="lingerNanoseconds">How long the one lingering waiter polls; negative: the wake-up latency; 0: never. On the
    /// managed core no waiter polls.</param>
    public static CoreSemaphore Create(int permits, long lingerNanoseconds) => CoreChoice.IsManaged
        ? new CoreSemaphore(null, new ManagedLifoSemaphore(permits))
        : new CoreSemaphore(new NativeSemaphoreHandle(permits, lingerNanoseconds), null);

    /// <summary>Takes a permit if there is one.</summary>
    public bool TryWait() => CoreChoice.IsManaged ? managed!.TryWait() : native!.TryWait();

    /// <summary>Takes a permit: <see langword="true"/>; negative: waits indefinitely.</summary>
    public bool Wait(long timeoutNanoseconds) => CoreChoice.IsManaged ? managed!.Wait(timeoutNanoseconds) : native!.Wait(timeoutNanoseconds);

    /// <summary><see langword="false"/>: there would be too many permits, and none was added.</summary>
    public bool Release(int count) => CoreChoice.IsManaged ? managed!.Release(count) : native!.Release(count);

    /// <summary>Frees the native memory when the last thread inside has left.</summary>
    public void Dispose() => native?.Dispose();
}
