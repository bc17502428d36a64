using NativeThreading.Interop;

namespace NativeThreading.Cores;

/// <summary>What a thread's priority means on Linux, which ignores <see cref="Thread.Priority"/>: a nice value.</summary>
internal static class ThreadNice
{
    /// <summary>-ENOSYS: public API has no nice values, and <see cref="Thread.Priority"/> belongs to the items (T35).</summary>
    private const int NotSupported = -38;

    /// <summary>Applies a priority to the calling thread. The result is 0 or -errno.</summary>
    public static (int Nice, int Result) Apply(ThreadPriority priority)
    {
        int nice = priority switch
        {
            ThreadPriority.Lowest => 15,
            ThreadPriority.BelowNormal => 5,
            ThreadPriority.AboveNormal => -5,
            ThreadPriority.Highest => -10,
            _ => 0,
        };
        return (nice, nice == 0 ? 0 : CoreChoice.IsManaged ? NotSupported : NativeMethods.nth_thread_set_nice(nice));
    }
}
