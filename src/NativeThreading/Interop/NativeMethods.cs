using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

[assembly: DisableRuntimeMarshalling]
[assembly: DefaultDllImportSearchPaths(DllImportSearchPath.AssemblyDirectory | DllImportSearchPath.SafeDirectories)]

namespace NativeThreading.Interop;

/// <summary>
/// native/include/native_threading.h, name for name. All of these are ordinary P/Invokes: every one may block, make a
/// system call or touch an atomic, so none may carry SuppressGCTransition (T89).
/// </summary>
internal static unsafe partial class NativeMethods
{
    public const string Library = "nativethreading";

    /// <summary>NTH_ABI_VERSION of the header this file was written against.</summary>
    public const int AbiVersion = 4;

    [LibraryImport(Library)]
    public static partial int nth_abi_version();

    [LibraryImport(Library)]
    public static partial int nth_usable_cpus();

    [LibraryImport(Library)]
    public static partial long nth_wake_latency_ns();

    [LibraryImport(Library)]
    public static partial int nth_thread_set_nice(int nice);

    [LibraryImport(Library)]
    public static partial int nth_linger_acquire(int kind);

    [LibraryImport(Library)]
    public static partial void nth_linger_release(int kind);
}

/// <summary>The kinds of the process-wide linger budget.</summary>
internal enum LingerKind
{
    /// <summary>NTH_LINGER_IDLE_WORKER.</summary>
    IdleWorker = 0,

    /// <summary>NTH_LINGER_COMPLETION.</summary>
    Completion = 1,
}
