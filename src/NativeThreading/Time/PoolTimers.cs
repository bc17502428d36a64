using System.Runtime.CompilerServices;
using NativeThreading.Platform;
using NativeThreading.Starvation;

namespace NativeThreading.Time;

/// <summary>The timers of all pools of the process, and the one thread that serves them. It starts with the first timer, sleeps until the earliest
/// deadline, and ends a second after it has found no timer. It runs no code of users: due timers queue to their pools.</summary>
/// <remarks>
/// <para>To disarm a timer does not wake the thread: it sleeps until the deadline that it knows. Only the end of the assembly's load context wakes
/// it, because the thread keeps that context alive.</para>
/// <para>The thread publishes the end of its sleep in <c>s_planned</c>. A caller whose timer becomes the first of its queue reads that word after the
/// insertion, and wakes the thread if the timer is due earlier. Before the thread takes the locks of the queues, it writes that every such caller
/// must wake it. Afterwards it publishes the earliest deadline, unless a timer was armed meanwhile. Each lock orders the two: either the thread sees
/// the timer, or the caller reads the earlier write of the thread. Model: native/models/pool_timers.pml.</para>
/// <para>A queue takes timers only while the thread serves it. To end, the thread leaves each queue under its lock, if the queue is empty. So a
/// caller that arms a timer either finds the thread, or starts one before it inserts the timer. If the thread cannot be started, the call throws and
/// has changed nothing.</para>
/// </remarks>
internal static class PoolTimers
{
    public const string ThreadName = "nth-timer";

    private const long WakeAlways = long.MaxValue; // arming any timer wakes the thread
    private const long Woken = long.MinValue; // arming a timer has woken it
    private const int Batch = 64; // the due timers that leave a queue under one lock, so that callers do not wait for long, and that are put in order
    private const int MostQueues = 16;

    private static readonly UninterruptedLock s_lock = new(); // before the lock of any queue
    private static readonly LifoSemaphore s_wake = new(0, lingers: false);
    private static readonly TimerQueue[] s_queues = CreateQueues();
    private static bool s_runs; // under s_lock
    private static long s_planned = WakeAlways;

    /// <summary>Whether the thread exists; for tests.</summary>
    public static bool IsThere
    {
        get
        {
            using var held = s_lock.EnterScope();
            return s_runs;
        }
    }

    /// <summary>The number of armed timers of the process: a snapshot.</summary>
    public static long ArmedCount => s_queues.Sum(static queue => (long)queue.Armed);

    /// <summary>Arms a timer for a moment from now, or moves the deadline of an armed one. Any thread; O(log n); allocates nothing for a timer.</summary>
    /// <param name="timer">The timer, which stays alive until it fires or is disarmed.</param>
    /// <param name="due">The time until the timer fires; never earlier. 0 or less means at once.</param>
    /// <exception cref="OutOfMemoryException">The timer thread does not exist and could not be started; the timer is not armed.</exception>
    public static void Arm(ITimed timer, TimeSpan due) => ArmAt(timer, MonotonicClock.After(Nanoseconds(due)));

    /// <summary>The number of the heap of the calling thread's processor.</summary>
    public static int HereNumber => (int)((uint)Thread.GetCurrentProcessorId() % (uint)s_queues.Length);

    /// <summary>As <see cref="Arm"/>, with a deadline of <see cref="MonotonicClock"/> and a period in milliseconds; 0 fires once.</summary>
    public static void ArmAt(ITimed timer, long deadline, uint period = 0)
    {
        ref TimerSlot slot = ref timer.Slot;
        int number = slot.Queue;
        number = number >= 0 ? number : slot.Choose(HereNumber);
        TimerQueue queue = s_queues[number];
        bool? isFirst;
        while ((isFirst = queue.TryArm(timer, deadline, period)) is null)
        {
            Chaos.Point("PoolTimers.ArmAt, not served");
            EnsureThread();
        }

        Chaos.Point("PoolTimers.ArmAt, armed");
        if (isFirst.Value && deadline < Volatile.Read(ref s_planned))
        {
            Wake();
        }
    }

    /// <summary>Disarms a timer. Any thread; O(log n).</summary>
    /// <returns><see langword="true"/> if the timer was armed and will not fire; <see langword="false"/> if it was not armed, or has become due.</returns>
    public static bool Disarm(ITimed timer) => timer.Slot.Queue is >= 0 and var number && s_queues[number].Disarm(timer);

    /// <summary>Returns the armed timers of this type that satisfy the condition. They stay armed. Scans every timer of the process.</summary>
    public static List<TTimed> Find<TTimed>(Predicate<TTimed> condition)
        where TTimed : class, ITimed
    {
        var found = new List<TTimed>();
        Array.ForEach(s_queues, queue => queue.Find(condition, found));
        return found;
    }

    /// <summary>Converts a time to nanoseconds, at least 0. Saturates.</summary>
    public static long Nanoseconds(TimeSpan time) =>
        time.Ticks > long.MaxValue / TimeSpan.NanosecondsPerTick ? long.MaxValue : Math.Max(time.Ticks, 0) * TimeSpan.NanosecondsPerTick;

    private static void Wake()
    {
        if (Interlocked.Exchange(ref s_planned, Woken) != Woken)
        {
            Chaos.Point("PoolTimers.Wake");
            s_wake.Release();
        }
    }

    private static TimerQueue[] CreateQueues()
    {
        LoadContextEnd.Register(Wake);
        var queues = new TimerQueue[Math.Min(Environment.ProcessorCount, MostQueues)];
        for (int i = 0; i < queues.Length; i++)
        {
            queues[i] = new TimerQueue();
        }

        return queues;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void EnsureThread()
    {
        using var held = s_lock.EnterScope();
        if (!s_runs)
        {
            ThreadLaunch.Start(Main, ThreadName, maxStackSize: 0);
            s_runs = true;
            Array.ForEach(s_queues, static queue => queue.BeginServing());
        }
    }

    private static void Main()
    {
        var due = new DueTimers(Batch);
        bool stays = false; // the thread has found no timer, and stays for a short time
        while (true)
        {
            Volatile.Write(ref s_planned, WakeAlways);
            long next = FireDue(due);
            Chaos.Point("PoolTimers.Main, looked");
            if (next == MonotonicClock.Never && stays && TryEnd())
            {
                return;
            }

            stays = next == MonotonicClock.Never;
            if (Interlocked.CompareExchange(ref s_planned, next, WakeAlways) == Woken)
            {
                Chaos.Point("PoolTimers.Main, woken before it slept");
                stays = false;
            }

            bool woken = s_wake.Wait(stays ? StarvationTuning.MonitorStay : Until(next));
            stays &= !woken;
            Chaos.Point("PoolTimers.Main, awake");
        }
    }

    /// <summary>Fires all due timers, in the order of their deadlines as far as one batch holds them. Returns the earliest remaining deadline.</summary>
    /// <remarks>Never inlined: the frame of <see cref="Main"/> stays, and a reference in it would keep a timer alive.</remarks>
    [MethodImpl(MethodImplOptions.NoInlining)]
    private static long FireDue(DueTimers due)
    {
        long now = MonotonicClock.Now;
        long next;
        bool isFull;
        do
        {
            next = MonotonicClock.Never;
            foreach (TimerQueue queue in s_queues)
            {
                next = Math.Min(next, queue.TakeDue(now, due));
                Chaos.Point("PoolTimers.FireDue, queue read");
            }

            isFull = due.IsFull;
            due.Fire();
        }
        while (isFull);

        return next;
    }

    private static TimeSpan Until(long deadline)
    {
        if (deadline == MonotonicClock.Never)
        {
            return Timeout.InfiniteTimeSpan;
        }

        long left = deadline - MonotonicClock.Now; // rounded up to a tick: never early
        return left <= 0 ? TimeSpan.Zero : TimeSpan.FromTicks((left / TimeSpan.NanosecondsPerTick) + 1);
    }

    /// <summary>Ends the thread, unless a timer was armed meanwhile.</summary>
    private static bool TryEnd()
    {
        using var held = s_lock.EnterScope();
        s_runs = Array.Exists(s_queues, static queue => !queue.TryEndServing());
        if (s_runs)
        {
            Array.ForEach(s_queues, static queue => queue.BeginServing());
        }

        return !s_runs;
    }
}
