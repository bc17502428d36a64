using NativeThreading.Workers;

namespace NativeThreading;

/// <summary>Threads of <see cref="TaskCreationOptions.LongRunning"/> tasks: the pool's, but not its workers.</summary>
public sealed partial class NativeThreadPool
{
    /// <summary>
    /// Threads that run a <see cref="TaskCreationOptions.LongRunning"/> task of <see cref="Scheduler"/> at this moment, one
    /// each. <see cref="ThreadCount"/> and <see cref="MaxThreads"/> do not count them.
    /// </summary>
    public int LongRunningThreadCount => LongRunning.Count;

    internal LongRunningThreads LongRunning { get; }
}
