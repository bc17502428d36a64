using System.Runtime.CompilerServices;
using NativeThreading.Platform;
using NativeThreading.Starvation;

namespace NativeThreading.Time;

/// <summary>The timers of all pools of the process, and the one thread that serves them. It starts with the first timer, sleeps until the earliest
/// deadline, and ends a second after it has found no timer. It runs no code of users: due timers queue to their pools.</summary>
/// <remarks>
/// <para>To disarm a timer wakes nothing: the thread sleeps on until the deadline that it knows. Only the end of the assembly's load context wakes
/// it, for the thread keeps that context alive.</para>
/// <para>The thread publishes in <c>s_planned</c> until when it sleeps. An arming that becomes the first of its queue reads that word after its
/// insertion, and wakes the thread if it is due earlier. Before the thread takes the locks of the queues it writes that any arming must wake it;
/// afterwards it publishes the earliest deadline, unless an arming has come meanwhile. Each lock orders the two: either the thread sees the timer,
/// or the arming reads what the thread wrote before. Model: native/models/pool_timers.pml.</para>
/// <para>A queue takes timers only while it is served. To end, the thread leaves each queue under its lock, if the queue is empty. So an arming
/// either finds the thread, or starts one before it inserts anything; where no thread can be had, it throws and has changed nothing.</para>
/// </remarks>
internal static class PoolTimers
{
    public const string ThreadName = "nth-timer";

    private const long WakeAlways = long.MaxValue; // any arming wakes the thread
    private const long Woken = long.MinValue; // an arming has woken it
    private const int Batch = 64; // due timers that leave one queue at a time, so that no arming waits for long
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

    /// <summary>Armed timers of the process: a snapshot.</summary>
    public static long ArmedCount => s_queues.Sum(static queue => (long)queue.Armed);

    /// <summary>Arms a timer for a moment from now, or moves the deadline of an armed one. Any thread; O(log n); allocates nothing for a timer.</summary>
    /// <param name="timer">The timer, which is referred to until it fires or is disarmed.</param>
    /// <param name="due">When it fires: never earlier. 0 or less is at once.</param>
    /// <exception cref="OutOfMemoryException">There is no thread, and none could be started; the timer is not armed.</exception>
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

    /// <summary>The armed timers of that type which satisfy the condition. They stay armed. It looks at each timer of the process.</summary>
    public static List<TTimed> Find<TTimed>(Predicate<TTimed> condition)
        where TTimed : class, ITimed
    {
        var found = new List<TTimed>();
        Array.ForEach(s_queues, queue => queue.Find(condition, found));
        return found;
    }

    /// <summary>A time in nanoseconds, 0 at least. Saturates.</summary>
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
        var due = new ITimed?[Batch];
        bool stays = false; // it has found no timer, and stays for a little while
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

    /// <summary>Fires all that is due. Returns the earliest deadline that is left.</summary>
    /// <remarks>Never inlined: the frame of <see cref="Main"/> lives on, and what is left in it of a timer would keep that alive.</remarks>
    [MethodImpl(MethodImplOptions.NoInlining)]
    private static long FireDue(ITimed?[] due)
    {
        long now = MonotonicClock.Now;
        long next = MonotonicClock.Never;
        foreach (TimerQueue queue in s_queues)
        {
            int count;
            do
            {
                count = 0;
                long left = queue.TakeDue(now, due, ref count);
                next = count == due.Length ? next : Math.Min(next, left);
                for (int i = 0; i < count; i++)
                {
                    Chaos.Point("PoolTimers.FireDue, due");
                    due[i]!.Fire();
                    due[i] = null;
                }
            }
            while (count == due.Length);
        }

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

    /// <summary>Ends the thread, unless a timer has come.</summary>
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
