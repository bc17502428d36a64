namespace NativeThreading.Platform;

/// <summary>Samples one thread with the means of the active core. Any thread may sample it, even after it has ended.</summary>
internal sealed class ThreadProbe(NativeThreadProbe? native, ManagedThreadProbe? managed) : IDisposable
{
    private static readonly bool s_isManaged = CoreChoice.IsManaged || !OperatingSystem.IsLinux(); // only Linux shows the state of a thread to other threads

    /// <summary>Whether processor time is not read, but estimated from samples of the state. Then a thread that waits at two samples may have run in
    /// between, and a thread in native code appears to run.</summary>
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

    /// <summary>The kernel's function in which the thread waits; <see langword="null"/> if it runs, has ended, or the system does not report
    /// it.</summary>
    public string? WaitChannel => native?.WaitChannel;

    public void Dispose() => native?.Dispose();
}

/// <summary>NTH_THREAD_*: the result of a sample of a thread, in both cores.</summary>
internal static class RunState
{
    public const int Runnable = 0;
    public const int Waiting = 1;
    public const int Stopped = 2;

    /// <summary>-ENOSYS of Linux: the system, or the managed core, does not report it.</summary>
    public const int NotKnown = -38;

    /// <summary>-ESRCH on every platform the library supports: the thread has ended.</summary>
    public const int Ended = -3;
}
