using System.Diagnostics;
using NativeThreading.Platform;

namespace NativeThreading.Tracing;

/// <summary>Whether anybody observes pools and loops. While nobody does, nothing is recorded.</summary>
internal static class Observation
{
    private static readonly UninterruptedLock s_lock = new();
    private static int s_observers; // under the lock
    private static long s_beginning;

    /// <summary>Whether there is an observer.</summary>
    public static bool IsActive => Beginning != 0;

    /// <summary>Since when there have been observers without a break, by <see cref="Stopwatch"/>; 0 while there is none.</summary>
    public static long Beginning => Volatile.Read(ref s_beginning);

    public static void Begin()
    {
        using (s_lock.EnterScope())
        {
            if (++s_observers == 1)
            {
                Volatile.Write(ref s_beginning, Math.Max(1, Stopwatch.GetTimestamp()));
            }
        }

        WatchedItems.UpdateAll();
    }

    public static void End()
    {
        using (s_lock.EnterScope())
        {
            if (--s_observers == 0)
            {
                Volatile.Write(ref s_beginning, 0);
            }
        }

        WatchedItems.UpdateAll();
    }
}
