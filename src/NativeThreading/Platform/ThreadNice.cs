namespace NativeThreading.Platform;

/// <summary>What a thread's priority means on Linux, which ignores <see cref="Thread.Priority"/>: a nice value. And the processors that a thread may
/// run on.</summary>
internal static class ThreadNice
{
    /// <summary>-ENOSYS: public API has no nice values and no affinity, and <see cref="Thread.Priority"/> belongs to the items (T35).</summary>
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

    /// <summary>Restricts the calling thread to processors. The result is 0 or -errno.</summary>
    public static unsafe int SetProcessors(int[] processors)
    {
        if (CoreChoice.IsManaged)
        {
            return NotSupported;
        }

        fixed (int* first = processors)
        {
            return NativeMethods.nth_thread_set_affinity(first, processors.Length);
        }
    }

    /// <summary>How far the calling thread's nice value lies above that of the process: a thread that it starts inherits it.</summary>
    public static int Inherited => CoreChoice.IsManaged ? 0 : NativeMethods.nth_thread_nice_offset();

    /// <summary>Takes back what a new thread has inherited of the thread that started it. <see langword="false"/>: it keeps a nice value
    /// that is not the process's, because the system allows a thread without privilege to raise that value only.</summary>
    public static bool TryTakeBack()
    {
        if (CoreChoice.IsManaged)
        {
            return true;
        }

        _ = NativeMethods.nth_thread_reset_inherited(); // where the system refuses, the thread works as well
        return Inherited == 0;
    }
}
