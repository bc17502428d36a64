namespace NativeThreading.Platform;

/// <summary>The priority of a thread on Linux, which ignores <see cref="Thread.Priority"/>: a nice value. Also the processors that a thread may run
/// on.</summary>
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

    /// <summary>The difference between the nice values of the calling thread and of the process. A thread that it starts inherits its
    /// value.</summary>
    public static int Inherited => CoreChoice.IsManaged ? 0 : NativeMethods.nth_thread_nice_offset();

    /// <summary>Resets the values that a new thread has inherited from the thread that started it. <see langword="false"/>: it keeps another nice
    /// value than that of the process, because the system lets a thread without privilege only raise that value.</summary>
    public static bool TryTakeBack()
    {
        if (CoreChoice.IsManaged)
        {
            return true;
        }

        _ = NativeMethods.nth_thread_reset_inherited(); // if the system does not allow it, the thread still works
        return Inherited == 0;
    }
}
