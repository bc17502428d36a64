using NativeThreading.Waiting;

namespace NativeThreading.Diagnostics;

/// <summary>Whether anybody observes pools and loops. While nobody does, nothing is recorded.</summary>
internal static class Observation
{
    private static readonly UninterruptedLock s_lock = new();
    private static int s_observers; // like the next one, under the lock
    private static int s_periods;
    private static int s_period;

    /// <summary>Whether there is an observer.</summary>
    public static bool IsActive => Period != 0;

    /// <summary>The number of the period in which there have been observers without a break; 0 while there is none.</summary>
    public static int Period => Volatile.Read(ref s_period);

    public static void Begin()
    {
        using (s_lock.EnterScope())
        {
            if (++s_observers == 1)
            {
                Volatile.Write(ref s_period, ++s_periods);
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
                Volatile.Write(ref s_period, 0);
            }
        }

        WatchedItems.UpdateAll();
    }
}
