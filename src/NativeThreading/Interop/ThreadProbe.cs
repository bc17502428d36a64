namespace NativeThreading.Interop;

/// <summary>
/// Owns a native probe of one thread. Counted: the monitor may look through it while the thread ends (T91).
/// </summary>
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

    /// <summary>What a look yields where a test says that run states, or CPU times too, cannot be read; else null.</summary>
    internal static int? RefusedState { get; set; }

    /// <inheritdoc cref="RefusedState"/>
    internal static int? RefusedCpu { get; set; }

    /// <inheritdoc cref="RefusedState"/>
    internal static int? RefusedRunDelay { get; set; }

    /// <summary>A probe of the calling thread; <see langword="null"/> where there is no memory for one.</summary>
    public static ThreadProbe? OfCurrentThread()
    {
        nint probe;
        return NativeMethods.nth_thread_probe_create(&probe) == 0 ? new ThreadProbe(probe) : null;
    }

    /// <summary>CPU time so far, in a unit that is fit for comparing, or a negative number.</summary>
    public long Cpu => RefusedCpu ?? Look(NativeMethods.nth_thread_probe_cpu, Ended);

    /// <summary>One of the constants, or a negative errno that says why it cannot be told.</summary>
    public int State => RefusedState ?? Look(NativeMethods.nth_thread_probe_state, Ended);

    /// <summary>
    /// Nanoseconds for which it was ready to run and had no processor, up to the last time that it got one; or a negative
    /// errno where the system keeps no account.
    /// </summary>
    public long RunDelay => RefusedRunDelay ?? Look(NativeMethods.nth_thread_probe_run_delay, Ended);

    protected override bool ReleaseHandle()
    {
        NativeMethods.nth_thread_probe_destroy(handle);
        return true;
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
