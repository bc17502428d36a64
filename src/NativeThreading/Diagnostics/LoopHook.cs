namespace NativeThreading.Diagnostics;

/// <summary>The calls of the core to event loops, which are in a separate assembly. That assembly sets <see cref="Installed"/> when a process creates
/// its first loop. In a process without a loop the assembly is not loaded.</summary>
internal abstract class LoopHook
{
    private static LoopHook? s_installed;

    /// <summary>The event loops of the process, or <see langword="null"/> if there has been none.</summary>
    public static LoopHook? Installed
    {
        get => Volatile.Read(ref s_installed);
        set => Volatile.Write(ref s_installed, value);
    }

    /// <summary>The calling thread, which is no worker, is about to block: if it runs a callback of a loop, another thread takes over the loop.</summary>
    public abstract void Relieve();

    /// <summary>Takes snapshots of all loops that have not stopped, in the order of their creation.</summary>
    /// <param name="observer">The observer with whose earlier snapshots the counts are compared.</param>
    /// <param name="now">The time of the snapshot, in ticks of <see cref="System.Diagnostics.Stopwatch"/>.</param>
    public abstract IReadOnlyList<LoopSnapshot> TakeSnapshots(ThreadObserver observer, long now);

    /// <summary>Forgets what was counted for an observer that has been disposed.</summary>
    public abstract void Forget(ThreadObserver observer);
}
