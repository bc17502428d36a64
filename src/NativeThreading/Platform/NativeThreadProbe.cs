namespace NativeThreading.Platform;

/// <summary>Owns a native probe of one thread. Calls are counted: the monitor may use the probe while its thread ends (T91).</summary>
internal sealed unsafe class NativeThreadProbe : System.Runtime.InteropServices.SafeHandle
{
    private NativeThreadProbe(nint probe)
        : base(0, ownsHandle: true) => SetHandle(probe);

    public override bool IsInvalid => handle == 0;

    /// <summary>A probe of the calling thread; <see langword="null"/> if there is no memory for it.</summary>
    public static NativeThreadProbe? OfCurrentThread()
    {
        nint probe;
        return NativeMethods.nth_thread_probe_create(&probe) == 0 ? new NativeThreadProbe(probe) : null;
    }

    public long Cpu => Look(NativeMethods.nth_thread_probe_cpu, RunState.Ended);

    public int State => Look(NativeMethods.nth_thread_probe_state, RunState.Ended);

    public long RunDelay => Look(NativeMethods.nth_thread_probe_run_delay, RunState.Ended);

    public long Waits => Look(NativeMethods.nth_thread_probe_waits, RunState.Ended);

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
        try
        {
            using var held = new HeldHandle(this);
            return look(handle);
        }
        catch (ObjectDisposedException)
        {
            return ended;
        }
    }
}
