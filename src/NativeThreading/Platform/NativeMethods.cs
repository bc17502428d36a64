using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

[assembly: DisableRuntimeMarshalling]
[assembly: DefaultDllImportSearchPaths(DllImportSearchPath.AssemblyDirectory | DllImportSearchPath.SafeDirectories)]

namespace NativeThreading.Platform;

/// <summary>native/include/native_threading.h, name for name. All of these are ordinary P/Invokes: every one may block, make a
/// system call or touch an atomic, so none may carry SuppressGCTransition (T89).</summary>
internal static unsafe partial class NativeMethods
{
    // With its prefix: on Windows nativethreading.dll is NativeThreading.dll.
    public const string Library = "libnativethreading";

    /// <summary>NTH_ABI_VERSION of the header this file was written against.</summary>
    public const int AbiVersion = 14;

    [LibraryImport(Library)] public static partial int nth_abi_version();
    [LibraryImport(Library)] public static partial int nth_usable_cpus();
    [LibraryImport(Library)] public static partial long nth_wake_latency_ns();
    [LibraryImport(Library)] public static partial int nth_thread_set_nice(int nice);
    [LibraryImport(Library)] public static partial int nth_thread_set_affinity(int* processors, int count);
    [LibraryImport(Library)] public static partial int nth_thread_nice_offset();
    [LibraryImport(Library)] public static partial int nth_thread_reset_inherited();
    [LibraryImport(Library)] public static partial int nth_process_barrier();
    [LibraryImport(Library)] public static partial int nth_linger_acquire(int kind);
    [LibraryImport(Library)] public static partial void nth_linger_release(int kind);

    [LibraryImport(Library)] public static partial int nth_worker_signal_create(nint* signal);
    [LibraryImport(Library)] public static partial ulong* nth_worker_signal_word(nint signal);
    [LibraryImport(Library)] public static partial void nth_worker_signal_destroy(nint signal);
    [LibraryImport(Library)] public static partial int nth_worker_signal_request(nint signal, uint nowMs);
    [LibraryImport(Library)] public static partial long nth_worker_signal_wakes(nint signal);
    [LibraryImport(Library)] public static partial int nth_worker_create(nint signal, nint* worker);
    [LibraryImport(Library)] public static partial void nth_worker_destroy(nint worker);
    [LibraryImport(Library)] public static partial int nth_worker_announce_idle(nint worker, uint flags);
    [LibraryImport(Library)] public static partial int nth_worker_withdraw(nint worker);
    [LibraryImport(Library)] public static partial int nth_worker_park(nint worker, long timeoutNs);

    [LibraryImport(Library)] public static partial int nth_lifo_semaphore_create(int initialPermits, long lingerNs, nint* semaphore);
    [LibraryImport(Library)] public static partial int nth_lifo_semaphore_wait(nint semaphore, long timeoutNs);
    [LibraryImport(Library)] public static partial int nth_lifo_semaphore_try_wait(nint semaphore);
    [LibraryImport(Library)] public static partial int nth_lifo_semaphore_release(nint semaphore, int count);
    [LibraryImport(Library)] public static partial int nth_lifo_semaphore_permits(nint semaphore);
    [LibraryImport(Library)] public static partial int nth_lifo_semaphore_waiters(nint semaphore);
    [LibraryImport(Library)] public static partial void nth_lifo_semaphore_destroy(nint semaphore);

    [LibraryImport(Library)] public static partial int nth_event_loop_create(nint* loop, byte** call);
    [LibraryImport(Library)] public static partial void nth_event_loop_close(nint loop);
    [LibraryImport(Library)] public static partial void nth_event_loop_destroy(nint loop);
    [LibraryImport(Library)] public static partial int nth_event_loop_wake(nint loop, uint flags);
    [LibraryImport(Library)] public static partial int nth_event_loop_descriptor(nint loop);
    [LibraryImport(Library)] public static partial int nth_event_loop_poll(nint loop, nint events, int capacity, long timeoutNs, uint flags);
    [LibraryImport(Library)] public static partial long nth_event_loop_add(nint loop, int descriptor, uint interest, ulong token);
    [LibraryImport(Library)] public static partial int nth_event_loop_modify(nint loop, long handle, uint interest);
    [LibraryImport(Library)] public static partial int nth_event_loop_remove(nint loop, long handle);
    [LibraryImport(Library)] public static partial long nth_event_loop_timer_create(nint loop, ulong token);
    [LibraryImport(Library)] public static partial int nth_event_loop_timer_arm(nint loop, long timer, long deadlineNs);
    [LibraryImport(Library)] public static partial int nth_event_loop_timer_cancel(nint loop, long timer);
    [LibraryImport(Library)] public static partial int nth_event_loop_timer_destroy(nint loop, long timer);
    [LibraryImport(Library)] public static partial void nth_event_loop_stats(nint loop, nint stats);

    [LibraryImport(Library)] public static partial int nth_io_accept(int descriptor, void* address, int* length);
    [LibraryImport(Library)] public static partial long nth_io_read(int descriptor, void* memory, ulong length);
    [LibraryImport(Library)] public static partial long nth_io_receive(int descriptor, void* memory, ulong length);
    [LibraryImport(Library)] public static partial long nth_io_writev(int descriptor, nint buffers, int count);
    [LibraryImport(Library)] public static partial int nth_io_shutdown(int descriptor, int how);

    [LibraryImport(Library)] public static partial int nth_thread_probe_create(nint* probe);
    [LibraryImport(Library)] public static partial long nth_thread_probe_cpu(nint probe);
    [LibraryImport(Library)] public static partial int nth_thread_probe_state(nint probe);
    [LibraryImport(Library)] public static partial long nth_thread_probe_run_delay(nint probe);
    [LibraryImport(Library)] public static partial long nth_thread_probe_waits(nint probe);
    [LibraryImport(Library)] public static partial int nth_thread_probe_wait_channel(nint probe, byte* name, int size);
    [LibraryImport(Library)] public static partial void nth_thread_probe_destroy(nint probe);
}

/// <summary>NTH_LINGER_*: the kinds of the process-wide linger budget.</summary>
internal enum LingerKind
{
    IdleWorker = 0,
    Completion = 1,
    Readiness = 2,
    Waiter = 3,
}
