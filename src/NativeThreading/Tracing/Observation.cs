using System.Diagnostics;
using NativeThreading.Platform;

namespace NativeThreading.Tracing;

/// <summary>Whether an observer of pools and loops exists, and whether one of them records items. Without an observer nothing is recorded.</summary>
internal static class Observation
{
    private static readonly UninterruptedLock s_lock = new();
    private static int s_observers; // under the lock
    private static int s_recorders; // written under the lock
    private static long s_beginning;

    /// <summary>Whether there is an observer.</summary>
    public static bool IsActive => Beginning != 0;

    /// <summary>Since when there have been observers without a break, by <see cref="Stopwatch"/>; 0 while there is none.</summary>
    public static long Beginning => Volatile.Read(ref s_beginning);

    /// <summary>Whether an observer records the items of all pools.</summary>
    public static bool RecordsItems => Volatile.Read(ref s_recorders) != 0;

    public static void Begin(bool recordsItems)
    {
        using (s_lock.EnterScope())
        {
            Volatile.Write(ref s_recorders, s_recorders + (recordsItems ? 1 : 0));
            if (++s_observers == 1)
            {
                Volatile.Write(ref s_beginning, Math.Max(1, Stopwatch.GetTimestamp()));
            }
        }

        WatchedItems.UpdateAll();
    }

    public static void End(bool recordsItems)
    {
        using (s_lock.EnterScope())
        {
            Volatile.Write(ref s_recorders, s_recorders - (recordsItems ? 1 : 0));
            if (--s_observers == 0)
            {
                Volatile.Write(ref s_beginning, 0);
            }
        }

        WatchedItems.UpdateAll();
    }
}
