using System.Runtime.ConstrainedExecution;
using System.Runtime.InteropServices;

namespace NativeThreading.Platform;

/// <summary>Owns a native event loop. The loop's thread closes it. Wakers touch its memory, which is therefore freed only when
/// neither the loop nor anything that could wake it is reachable. A caller that passes the pointer keeps the loop alive until the
/// call returns.</summary>
internal sealed unsafe class NativeEventLoopHandle : CriticalFinalizerObject
{
    public NativeEventLoopHandle()
    {
        nint loop;
        byte* call;
        int result = NativeMethods.nth_event_loop_create(&loop, &call);
        if (result < 0)
        {
            throw NativeCore.Error(result, $"The event loop could not be created: {Marshal.PtrToStringUTF8((nint)call)}");
        }

        Pointer = loop;
    }

    // Runs after ordinary finalizers, so those of timers may still post.
    ~NativeEventLoopHandle()
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
