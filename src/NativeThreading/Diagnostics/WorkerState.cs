namespace NativeThreading.Diagnostics;

/// <summary>What a worker of a pool does.</summary>
public enum WorkerState
{
    /// <summary>Its thread is being started.</summary>
    Starting,

    /// <summary>It runs, or looks for work.</summary>
    Running,

    /// <summary>It waits in the kernel: the pool has found it blocked, or the observer has. The observer does where the thread has used no
    /// processor time for 2 ms or since the snapshot before, has ended no item and waits.</summary>
    Blocked,

    /// <summary>It is in a region of <see cref="NativeThreadPool.EnterBlockingRegion"/>.</summary>
    InBlockingRegion,

    /// <summary>It waits for a <see cref="WorkGroup"/>, and has nothing of that to run.</summary>
    WaitingForGroup,

    /// <summary>It has no work, and sleeps until it is woken.</summary>
    Parked,

    /// <summary>It sleeps because enough others run, and is called back where one of them blocks.</summary>
    InReserve,
}
