namespace NativeThreading.Platform;

/// <summary>The process-wide linger budget: one thread of each kind may linger. A core and the code above it share it (T46).</summary>
internal static class LingerBudget
{
    private const int Line = 128 / sizeof(int);

    private static readonly int[] s_taken = new int[((int)LingerKind.Waiter + 1) * Line]; // of the managed core; each kind has cache lines of its own

    private static long s_duration = -1; // ticks of Stopwatch; -1: not measured yet

    /// <summary>CPUs that the process may use, at least 1.</summary>
    public static int UsableProcessors => CoreChoice.IsManaged ? Environment.ProcessorCount : NativeMethods.nth_usable_cpus();

    /// <summary>Nanoseconds that lingering is worth; 0 with one processor. On the native core the first call measures it.</summary>
    public static long WakeLatencyNanoseconds => CoreChoice.IsManaged ? UsualNanoseconds : NativeMethods.nth_wake_latency_ns();

    /// <summary>How long lingering pays, in ticks of <see cref="System.Diagnostics.Stopwatch"/>; 0 with one processor. Never waits: until
    /// <see cref="Measure"/> has ended, it is a usual value.</summary>
    public static long Duration
    {
        get
        {
            long measured = Volatile.Read(ref s_duration);
            return measured >= 0 ? measured : SpinTuning.Ticks(UsualNanoseconds);
        }
    }

    /// <summary>Whether <see cref="Measure"/> has ended.</summary>
    public static bool IsMeasured => Volatile.Read(ref s_duration) >= 0;

    /// <summary>Measures the wake-up latency, once a process: some 3 ms, in which the calling thread spins. No worker and no constructor
    /// does so, but the monitor's thread.</summary>
    public static void Measure() => Volatile.Write(ref s_duration, SpinTuning.Ticks(WakeLatencyNanoseconds));

    private static long UsualNanoseconds =>
        UsableProcessors == 1 ? 0 : CoreChoice.IsManaged ? SpinTuning.ManagedWakeNs : SpinTuning.UsualWakeNs;

    /// <summary>Takes the budget of this kind, if no other thread has it and lingering can pay.</summary>
    public static bool TryTake(LingerKind kind) => CoreChoice.IsManaged
        ? UsableProcessors > 1 && Interlocked.CompareExchange(ref s_taken[(int)kind * Line], 1, 0) == 0
        : NativeMethods.nth_linger_acquire((int)kind) != 0;

    /// <summary>Gives it back.</summary>
    public static void Return(LingerKind kind)
    {
        if (CoreChoice.IsManaged)
        {
            Volatile.Write(ref s_taken[(int)kind * Line], 0);
        }
        else
        {
            NativeMethods.nth_linger_release((int)kind);
        }
    }
}

/// <summary>Whether lingering has paid lately. Arrivals sparser than the time to linger use the credit up; arrivals closer together
/// earn it back, which is seen from how long threads were parked. The same in C is native/src/linger_credit.h.</summary>
internal struct LingerCredit
{
    // Races lose an update now and then, which is harmless: it is an estimate.
    private int _left = SpinTuning.FirstCredit;

    public LingerCredit()
    {
    }

    /// <summary>Whether there is any.</summary>
    public readonly bool Any => Volatile.Read(in _left) > 0;

    /// <summary>A thread has lingered, and found what it hoped for or not.</summary>
    public void NoteLinger(bool found) => Add(found ? 1 : -1);

    /// <summary>A parked thread was woken for something that arrived after this long.</summary>
    public void NoteGap(long parked, long linger)
    {
        if (parked < SpinTuning.GapFactor * linger)
        {
            Add(SpinTuning.GapCredit);
        }
    }

    private void Add(int change) => Volatile.Write(ref _left, Math.Clamp(Volatile.Read(ref _left) + change, 0, SpinTuning.MostCredit));
}
