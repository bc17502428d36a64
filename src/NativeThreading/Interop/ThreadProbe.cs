namespace NativeThreading.Interop;

/// <summary>Owns a native probe of one thread. Calls are counted: the monitor may use the probe while its thread ends (T91).</summary>
internal sealed unsafe class ThreadProbe : System.Runtime.InteropServices.SafeHandle
{
    /// <summary>NTH_THREAD_RUNNABLE.</summary>
    public const int Runnable = 0;

    /// <summary>NTH_THREAD_WAITING.</summary>
    public const int Waiting = 1;

    /// <summary>NTH_THREAD_STOPPED.</summary>
    public const int Stopped = 2;

    /// <summary>-ESRCH on every platform the library supports: the thread has ended.</summary>
    public const int Ended = -3;

    private ThreadProbe(nint probe)
        : base(0, ownsHandle: true) => SetHandle(probe);

    public override bool IsInvalid => handle == 0;

    /// <summary>For tests: the result of a look, if run states, or CPU times too, are to be unreadable; else null.</summary>
    internal static Func<int>? RefusedState { get; set; }

    /// <inheritdoc cref="RefusedState"/>
    internal static int? RefusedCpu { get; set; }

    /// <inheritdoc cref="RefusedState"/>
    internal static int? RefusedRunDelay { get; set; }

    /// <inheritdoc cref="RefusedState"/>
    internal static long? RefusedWaits { get; set; }

    /// <summary>A probe of the calling thread; <see langword="null"/> if there is no memory for it.</summary>
    public static ThreadProbe? OfCurrentThread()
    {
        nint probe;
        return NativeMethods.nth_thread_probe_create(&probe) == 0 ? new ThreadProbe(probe) : null;
    }

    /// <summary>CPU time so far, in a unit that only serves for comparison, or a negative number.</summary>
    public long Cpu => RefusedCpu ?? Look(NativeMethods.nth_thread_probe_cpu, Ended);

    /// <summary>One of the constants, or a negative errno that says why the state cannot be read.</summary>
    public int State => RefusedState is { } refused ? refused() : Look(NativeMethods.nth_thread_probe_state, Ended);

    /// <summary>Nanoseconds for which the thread was ready to run and had no processor, up to the last time that it got one. A
    /// negative errno if the system keeps no account.</summary>
    public long RunDelay => RefusedRunDelay ?? Look(NativeMethods.nth_thread_probe_run_delay, Ended);

    /// <summary>How often the thread has given up its processor to wait. A negative errno if the system does not count.</summary>
    public long Waits => RefusedWaits ?? Look(NativeMethods.nth_thread_probe_waits, Ended);

    /// <summary>The kernel's function in which the thread waits; <see langword="null"/> where it runs, has ended, or the system does
    /// not tell.</summary>
    public string? WaitChannel => Look(ReadWaitChannel, null);

    protected override bool ReleaseHandle()
    {
        NativeMethods.nth_thread_probe_destroy(handle);
        return true;
    }

    private static string? ReadWaitChannel(nint probe)
    {
        byte* name = stackalloc byte[64];
        int length = NativeMethods.nth_thread_probe_wait_channel(probe, name, 64);
        return length > 0 ? System.Text.Encoding.ASCII.GetString(name, length) : null;
    }

    private T Look<T>(Func<nint, T> look, T ended)
    {
        bool referenced = false;
        try
        {
            DangerousAddRef(ref referenced);
            return look(handle);
        }
        catch (ObjectDisposedException)
        {
            return ended;
        }
        finally
        {
            if (referenced)
            {
                DangerousRelease();
            }
        }
    }
}
