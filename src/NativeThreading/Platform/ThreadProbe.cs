namespace NativeThreading.Platform;

/// <summary>Looks at one thread, by what the core that runs can see. Any thread may look, also when the other one has ended.</summary>
internal sealed class ThreadProbe(NativeThreadProbe? native, ManagedThreadProbe? managed) : IDisposable
{
    private static readonly bool s_isManaged = CoreChoice.IsManaged || !OperatingSystem.IsLinux(); // only Linux tells a thread's state from outside

    /// <summary>Whether processor time is not read, but estimated from looks at the state. Then a thread that waits at two looks may have
    /// run in between, and a thread in native code looks like one that runs.</summary>
    public static bool Estimates => s_isManaged;

    /// <summary>A probe of the calling thread; <see langword="null"/> if there is no memory for it.</summary>
    public static ThreadProbe? OfCurrentThread() =>
        s_isManaged ? new ThreadProbe(null, new ManagedThreadProbe())
        : NativeThreadProbe.OfCurrentThread() is { } native ? new ThreadProbe(native, null)
        : null;

    /// <summary>CPU time so far, in a unit that only serves for comparison, or a negative number.</summary>
    public long Cpu => Failpoints.Cpu ?? (s_isManaged ? managed!.Cpu : native!.Cpu);

    /// <summary>One of <see cref="RunState"/>, or a negative errno that says why the state cannot be read.</summary>
    public int State => Failpoints.RunState is { } refused ? refused() : s_isManaged ? managed!.State : native!.State;

    /// <summary>Nanoseconds for which the thread was ready to run and had no processor, up to the last time that it got one. A
    /// negative errno if the system keeps no account.</summary>
    public long RunDelay => Failpoints.RunDelay ?? (s_isManaged ? RunState.NotKnown : native!.RunDelay);

    /// <summary>How often the thread has given up its processor to wait. A negative errno if the system does not count.</summary>
    public long Waits => Failpoints.Waits ?? (s_isManaged ? RunState.NotKnown : native!.Waits);

    /// <summary>The kernel's function in which the thread waits; <see langword="null"/> where it runs, has ended, or the system does
    /// not tell.</summary>
    public string? WaitChannel => native?.WaitChannel;

    public void Dispose() => native?.Dispose();
}

/// <summary>NTH_THREAD_*: what a look at a thread has found, in either core.</summary>
internal static class RunState
{
    public const int Runnable = 0;
    public const int Waiting = 1;
    public const int Stopped = 2;

    /// <summary>-ENOSYS of Linux: the system, or the managed core, does not tell.</summary>
    public const int NotKnown = -38;

    /// <summary>-ESRCH on every platform the library supports: the thread has ended.</summary>
    public const int Ended = -3;
}
