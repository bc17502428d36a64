using System.Diagnostics;
using System.Runtime.InteropServices;
using NativeThreading.Interop;

namespace NativeThreading.ManagedCore;

/// <summary>What polling threads of a process share: one slot for each kind (T46). As native/src/linger.c.</summary>
internal static class ManagedLingerBudget
{
    private static Slots s_slots;

    /// <summary>Whether there is a second processor to spin for. The runtime counts those that affinity and a quota leave to the process,
    /// and counts them once, at its start: a later change is not seen here.</summary>
    public static bool SpinningPays => Environment.ProcessorCount > 1;

    public static bool TryTake(LingerKind kind)
    {
        // The plain look keeps the cache line shared while another thread lingers.
        ref int taken = ref Of(kind);
        return SpinningPays && Volatile.Read(ref taken) == 0 && Interlocked.CompareExchange(ref taken, 1, 0) == 0;
    }

    public static void Return(LingerKind kind)
    {
        Debug.Assert(Of(kind) == 1);
        Volatile.Write(ref Of(kind), 0);
    }

    private static ref int Of(LingerKind kind)
    {
        switch (kind)
        {
            case LingerKind.IdleWorker:
                return ref s_slots.IdleWorker;
            case LingerKind.Completion:
                return ref s_slots.Completion;
            case LingerKind.Readiness:
                return ref s_slots.Readiness;
            default:
                return ref s_slots.Waiter;
        }
    }

    /// <summary>Each on lines of its own.</summary>
    [StructLayout(LayoutKind.Explicit, Size = 640)]
    private struct Slots
    {
        [FieldOffset(128)]
        public int IdleWorker;

        [FieldOffset(256)]
        public int Completion;

        [FieldOffset(384)]
        public int Readiness;

        [FieldOffset(512)]
        public int Waiter;
    }
}
