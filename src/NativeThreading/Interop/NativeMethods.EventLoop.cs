using System.Runtime.InteropServices;

namespace NativeThreading.Interop;

internal static unsafe partial class NativeMethods
{
    [LibraryImport(Library)]
    public static partial int nth_event_loop_create(nint* loop);

    [LibraryImport(Library)]
    public static partial void nth_event_loop_close(nint loop);

    [LibraryImport(Library)]
    public static partial void nth_event_loop_destroy(nint loop);

    [LibraryImport(Library)]
    public static partial int nth_event_loop_wake(nint loop, uint flags);

    [LibraryImport(Library)]
    public static partial int nth_event_loop_descriptor(nint loop);

    [LibraryImport(Library)]
    public static partial int nth_event_loop_poll(nint loop, nint events, int capacity, long timeoutNs, uint flags);

    [LibraryImport(Library)]
    public static partial long nth_event_loop_add(nint loop, int descriptor, uint interest, ulong token);

    [LibraryImport(Library)]
    public static partial int nth_event_loop_modify(nint loop, long handle, uint interest);

    [LibraryImport(Library)]
    public static partial int nth_event_loop_remove(nint loop, long handle);

    [LibraryImport(Library)]
    public static partial long nth_event_loop_timer_create(nint loop, ulong token);

    [LibraryImport(Library)]
    public static partial int nth_event_loop_timer_arm(nint loop, long timer, long deadlineNs);

    [LibraryImport(Library)]
    public static partial int nth_event_loop_timer_cancel(nint loop, long timer);

    [LibraryImport(Library)]
    public static partial int nth_event_loop_timer_destroy(nint loop, long timer);

    [LibraryImport(Library)]
    public static partial void nth_event_loop_stats(nint loop, nint stats);
}
