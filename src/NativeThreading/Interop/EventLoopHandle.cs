using System.Runtime.ConstrainedExecution;

namespace NativeThreading.Interop;

/// <summary>
/// Owns a native event loop. Closed by the loop's thread; the memory, whose word wakers touch, is freed when neither the
/// loop nor anything that could wake it can be reached any more. Whoever passes the pointer keeps the loop alive until
/// the call returns.
/// </summary>
internal sealed unsafe class EventLoopHandle : CriticalFinalizerObject
{
    /// <summary>NTH_WAKE_KERNEL.</summary>
    public const uint WakeThroughKernel = 1;

    /// <summary>NTH_POLL_OUTSTANDING.</summary>
    public const uint Outstanding = 1;

    public EventLoopHandle()
    {
        nint loop;
        NativeCore.Check(NativeMethods.nth_event_loop_create(&loop), nameof(NativeMethods.nth_event_loop_create));
        Pointer = loop;
    }

    // After ordinary finalizers, so that those of timers may still post.
    ~EventLoopHandle()
    {
        if (Pointer != 0)
        {
            NativeMethods.nth_event_loop_destroy(Pointer);
        }
    }

    public nint Pointer { get; }

    public EventLoopStats Stats
    {
        get
        {
            EventLoopStats stats;
            NativeMethods.nth_event_loop_stats(Pointer, (nint)(&stats));
            GC.KeepAlive(this);
            return stats;
        }
    }
}
