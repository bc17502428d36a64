using NativeThreading.Diagnostics;
using NativeThreading.Workers;

namespace NativeThreading.Starvation;

/// <summary>
/// The thread that looks after pools in which work waits while nobody is free. There is at most one per process, and
/// none while no pool needs it: no timer runs in a process that is idle (T85).
/// </summary>
/// <remarks>
/// A producer that finds nobody to ask clears UNMONITORED in its pool's word and brings the pool here. While the bit is
/// clear queueing costs what it always does. The monitor gives a pool back by setting the bit and looking once more.
/// </remarks>
internal static class StarvationMonitor
{
    public const string ThreadName = "nth-monitor";

    /// <summary>The thread stays for this long without a pool, because saturation comes in bursts; then it ends.</summary>
    private static readonly TimeSpan s_stay = TimeSpan.FromSeconds(1);

    /// <summary>After this time the start of the thread is tried again.</summary>
    private static readonly TimeSpan s_startRetry = TimeSpan.FromMilliseconds(100);

    private static readonly Lock s_lock = new();
    private static readonly List<PoolWatch> s_arriving = [];
    private static readonly LifoSemaphore s_wake = new(0, lingers: false);
    private static bool s_runs;
    private static bool s_startFailed;
    private static Timer? s_retryTimer;
    private static long s_looks;

    /// <summary>Looks at pools so far; for tests.</summary>
    public static long LookCount => Volatile.Read(ref s_looks);

    /// <summary>
    /// Begins to look after a pool whose UNMONITORED the caller has cleared. Never throws; <see langword="false"/>: neither
    /// the thread nor another try can be had, and the caller is to take the pool back.
    /// </summary>
    public static bool TryWatch(PoolWatch pool)
    {
        lock (s_lock)
        {
            s_arriving.Add(pool);
            if (s_runs)
            {
                s_wake.Release();
                return true;
            }

            return TryStart() || !s_arriving.Remove(pool);
        }
    }

    // Under the lock. False: it neither runs nor will be tried again.
    private static bool TryStart()
    {
        try
        {
            ThreadStarter.Start(Main, ThreadName, maxStackSize: 0);
            s_runs = true;
            s_startFailed = false;
            return true;
        }
        catch (Exception exception) when (exception is OutOfMemoryException or ThreadStartException)
        {
            // Without the thread nothing heals, but everything else goes on (T44).
            if (!s_startFailed)
            {
                s_startFailed = true;
                NativeThreadingEventSource.Log.MonitorStartFailed(exception.Message);
            }

            s_retryTimer ??= new Timer(static _ => RetryStart(), null, Timeout.Infinite, Timeout.Infinite);
            return ThreadStarter.TryArm(s_retryTimer, s_startRetry);
        }
    }

    private static void RetryStart()
    {
        lock (s_lock)
        {
            if (!s_runs && s_arriving.Count != 0)
            {
                TryStart();
            }
        }
    }

    private static void Main()
    {
        var pools = new List<PoolWatch>();
        TimeSpan planned = TimeSpan.Zero;
        var clock = new PauseFreeClock();
        while (true)
        {
            bool woken = s_wake.Wait(planned);
            lock (s_lock)
            {
                pools.AddRange(s_arriving);
                s_arriving.Clear();
                if (pools.Count == 0 && !woken && planned == s_stay)
                {
                    s_runs = false;
                    return;
                }
            }

            clock.Begin(planned);
            TimeSpan next = s_stay;
            for (int i = pools.Count - 1; i >= 0; i--)
            {
                PoolWatch pool = pools[i];
                Volatile.Write(ref s_looks, s_looks + 1);
                if (pool.Look(clock) is { } wanted)
                {
                    next = wanted < next ? wanted : next;
                }
                else
                {
                    pools.RemoveAt(i);
                }
            }

            planned = next;
        }
    }
}
