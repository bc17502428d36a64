namespace NativeThreading.Platform;

/// <summary>A full fence on each processor that runs a thread of this process: a rare caller saves a frequent reader a fence
/// (T54).</summary>
internal static class ProcessBarrier
{
    /// <summary>Whether the runtime's barrier is an empty function, which under Wine it is. The managed core has no other.</summary>
    private static readonly bool s_isTheLibrarys =
        OperatingSystem.IsWindows() && !CoreChoice.IsManaged && NativeMethods.nth_process_barrier() == 0;

    public static void Issue()
    {
        if (s_isTheLibrarys)
        {
            _ = NativeMethods.nth_process_barrier();
        }
        else
        {
            Interlocked.MemoryBarrierProcessWide();
        }
    }
}
