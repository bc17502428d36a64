using NativeThreading.Interop;
using NativeThreading.ManagedCore;

namespace NativeThreading.Cores;

/// <summary>The process-wide linger budget: one thread of each kind may linger. A core and the code above it share it (T46).</summary>
internal static class LingerBudget
{
    /// <summary>CPUs that the process may use, at least 1.</summary>
    public static int UsableProcessors => CoreChoice.IsManaged ? Environment.ProcessorCount : NativeMethods.nth_usable_cpus();

    /// <summary>Nanoseconds that lingering is worth; 0 with one processor. The first call measures it.</summary>
    public static long WakeLatencyNanoseconds => CoreChoice.IsManaged ? ManagedWakeLatency.Nanoseconds : NativeMethods.nth_wake_latency_ns();

    /// <summary>The same, in ticks of <see cref="System.Diagnostics.Stopwatch"/>.</summary>
    public static long WakeLatency() => SpinTuning.Ticks(WakeLatencyNanoseconds);

    /// <summary>Takes the budget of this kind, if no other thread has it and lingering can pay.</summary>
    public static bool TryTake(LingerKind kind) =>
        CoreChoice.IsManaged ? ManagedLingerBudget.TryTake(kind) : NativeMethods.nth_linger_acquire((int)kind) != 0;

    /// <summary>Gives it back.</summary>
    public static void Return(LingerKind kind)
    {
        if (CoreChoice.IsManaged)
        {
            ManagedLingerBudget.Return(kind);
        }
        else
        {
            NativeMethods.nth_linger_release((int)kind);
        }
    }
}
