namespace NativeThreading.Workers;

/// <summary>What others can see of a worker.</summary>
internal sealed unsafe partial class Worker
{
    /// <summary>Its thread, once that runs.</summary>
    public Thread? Thread => Volatile.Read(ref _thread);

    /// <summary>Whether it waits for a group, and has nothing of that to run itself.</summary>
    public bool WaitsForGroup => Volatile.Read(ref _waitsForGroup);
}
