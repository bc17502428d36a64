using System.Runtime.CompilerServices;
using NativeThreading.Platform;
using NativeThreading.Tracing;

namespace NativeThreading.Starvation;

/// <summary>The monitor: the one thread of the process that watches pools in which items wait and no worker can be requested. It
/// starts before the first worker of a pool, sleeps without a timeout while no pool needs it, and ends when no pool is left. So an
/// idle process has no timer (T85).</summary>
/// <remarks>
/// <para>A producer that finds no worker to request clears UNMONITORED in its pool's state word and registers the pool here. While the bit is clear,
/// queueing costs a plain load. To stop monitoring a pool, the monitor sets the bit and samples once more.</para>
/// <para>It starts first because it retries failed thread starts, and no other thread certainly does. It waits in native code, and
/// needs neither the built-in pool nor its timers.</para>
/// </remarks>
internal static class StarvationMonitor
{
    public const string ThreadName = "nth-monitor";

    private static readonly UninterruptedLock s_lock = new();
    private static readonly List<IMonitored> s_arriving = [];
    private static readonly LifoSemaphore s_wake = new(0, lingers: false);
    private static readonly List<PendingStart> s_starts = [];
    private static bool s_runs;
    private static bool s_hasOwnPriority;
    private static bool s_startFailed;
    private static int s_holds;

    /// <summary>Whether the thread exists; for tests.</summary>
    public static bool IsThere
    {
        get
        {
            using var held = s_lock.EnterScope();
            return s_runs;
        }
    }

    /// <summary>Makes the thread exist until <see cref="Release"/>. If the thread start fails, it throws, and nothing has changed.</summary>
    public static void Hold()
    {
        Chaos.Point("StarvationMonitor.Hold");
        using var held = s_lock.EnterScope();
        if (!s_runs)
        {
            StartLocked();
        }

        s_holds++;
    }

    /// <summary>Ends a <see cref="Hold"/>.</summary>
    public static void Release()
    {
        using var held = s_lock.EnterScope();
        if (--s_holds == 0)
        {
            s_wake.Release(); // from a sleep without a timeout
        }
    }

    /// <summary>Starts to monitor a pool whose UNMONITORED the caller has cleared. <see langword="false"/>: the thread has
    /// ended, because this pool and all others have stopped. The caller then sets the bit again.</summary>
    public static bool TryMonitor(IMonitored pool)
    {
        using var held = s_lock.EnterScope();
        if (!s_runs)
        {
            return false;
        }

        s_arriving.Add(pool);
        Chaos.Point("StarvationMonitor.TryMonitor, arriving");
        s_wake.Release();
        return true;
    }

    /// <summary>Has the monitor start a thread, which then inherits nothing from the calling thread. <see langword="null"/>: the monitor does not
    /// exist, does not have the nice value of the process, or is the caller.</summary>
    public static Thread? TryStart(Func<Thread> start)
    {
        PendingStart pending;
        using (s_lock.EnterScope())
        {
            if (!s_runs || !s_hasOwnPriority)
            {
                return null;
            }

            pending = new PendingStart(start);
            s_starts.Add(pending);
            Chaos.Point("StarvationMonitor.TryStart, pending");
            s_wake.Release();
        }

        return pending.Wait();
    }

    private static void StartLocked()
    {
        try
        {
            s_hasOwnPriority = ThreadNice.Inherited == 0; // the monitor inherits it
            ThreadStarter.Start(Main, ThreadName, maxStackSize: 0);
            s_runs = true;
            s_startFailed = false;
        }
        catch (Exception exception) when (exception is OutOfMemoryException or ThreadStartException)
        {
            if (!s_startFailed)
            {
                s_startFailed = true;
                NativeThreadingEventSource.Log.MonitorStartFailed(exception.Message);
            }

            throw;
        }
    }

    private static void Main()
    {
        if (ThreadLaunch.TakeBackInherited(ThreadName))
        {
            using var held = s_lock.EnterScope();
            s_hasOwnPriority = true;
        }

        var pools = new List<IMonitored>();
        TimeSpan planned = TimeSpan.Zero;
        var clock = new PauseFreeClock();
        while (true)
        {
            bool woken = s_wake.Wait(planned);
            Chaos.Point("StarvationMonitor.Main, awake");
            StartPending();
            using (s_lock.EnterScope())
            {
                pools.AddRange(s_arriving);
                s_arriving.Clear();
                if (pools.Count == 0)
                {
                    if (s_holds == 0 && s_starts.Count == 0 && !woken && planned == StarvationTuning.MonitorStay)
                    {
                        s_runs = false;
                        return;
                    }

                    // A release after this wakes the thread.
                    planned = s_holds == 0 ? StarvationTuning.MonitorStay : Timeout.InfiniteTimeSpan;
                }
            }

            if (pools.Count != 0)
            {
                clock.Begin(planned);
                TimeSpan next = LookAt(pools, clock);
                Chaos.Point("StarvationMonitor.Main, looked");
                planned = pools.Count == 0 ? TimeSpan.Zero : next;
            }

            planned = LateStart.Continue(planned);
        }
    }

    /// <summary>Starts the threads that other threads have requested. Not under the lock.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void StartPending()
    {
        PendingStart[] starts;
        using (s_lock.EnterScope())
        {
            starts = [.. s_starts];
            s_starts.Clear();
        }

        Array.ForEach(starts, static start => start.Run());
    }

    /// <summary>Samples each pool, and keeps those that still need it. Returns the time until the next sample.</summary>
    /// <remarks>Never inlined: the frame of <see cref="Main"/> stays, and a reference in it would keep a pool alive.</remarks>
    [MethodImpl(MethodImplOptions.NoInlining)]
    private static TimeSpan LookAt(List<IMonitored> pools, PauseFreeClock clock)
    {
        TimeSpan next = TimeSpan.MaxValue;
        for (int i = pools.Count - 1; i >= 0; i--)
        {
            IMonitored pool = pools[i];
            if (pool.Look(clock) is { } wanted)
            {
                next = wanted < next ? wanted : next;
            }
            else
            {
                pools.RemoveAt(i);
            }
        }

        return next;
    }
}
