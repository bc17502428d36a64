using System.Runtime.InteropServices;

namespace NativeThreading.Interop;

internal static unsafe partial class NativeMethods
{
    [LibraryImport(Library)]
    public static partial int nth_worker_signal_create(nint* signal);

    [LibraryImport(Library)]
    public static partial ulong* nth_worker_signal_word(nint signal);

    [LibraryImport(Library)]
    public static partial void nth_worker_signal_destroy(nint signal);

    [LibraryImport(Library)]
    public static partial int nth_worker_signal_request(nint signal, uint nowMs);

    [LibraryImport(Library)]
    public static partial long nth_worker_signal_wakes(nint signal);

    [LibraryImport(Library)]
    public static partial int nth_worker_create(nint signal, nint* worker);

    [LibraryImport(Library)]
    public static partial void nth_worker_destroy(nint worker);

    [LibraryImport(Library)]
    public static partial int nth_worker_announce_idle(nint worker, uint flags);

    [LibraryImport(Library)]
    public static partial int nth_worker_withdraw(nint worker);

    [LibraryImport(Library)]
    public static partial int nth_worker_park(nint worker, long timeoutNs);
}
