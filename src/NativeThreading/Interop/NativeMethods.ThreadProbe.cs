using System.Runtime.InteropServices;

namespace NativeThreading.Interop;

internal static unsafe partial class NativeMethods
{
    [LibraryImport(Library)]
    public static partial int nth_thread_probe_create(nint* probe);

    [LibraryImport(Library)]
    public static partial long nth_thread_probe_cpu(nint probe);

    [LibraryImport(Library)]
    public static partial int nth_thread_probe_state(nint probe);

    [LibraryImport(Library)]
    public static partial long nth_thread_probe_run_delay(nint probe);

    [LibraryImport(Library)]
    public static partial void nth_thread_probe_destroy(nint probe);
}
