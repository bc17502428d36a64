using NativeThreading.Interop;

namespace NativeThreading.Waiting;

/// <summary>The process-wide linger budget: one thread of each kind may linger. Native and managed code share it (T46).</summary>
internal static class LingerBudget
{
    /// <summary>How long lingering is worth, in ticks of <see cref="System.Diagnostics.Stopwatch"/>; 0 with one processor. The first call measures it.</summary>
    public static long WakeLatency() => SpinTuning.Ticks(NativeMethods.nth_wake_latency_ns());

    /// <summary>Takes the budget of this kind, if no other thread has it and lingering can pay.</summary>
    public static bool TryTake(LingerKind kind) => NativeMethods.nth_linger_acquire((int)kind) != 0;

    /// <summary>Gives it back.</summary>
    public static void Return(LingerKind kind) => NativeMethods.nth_linger_release((int)kind);
}
