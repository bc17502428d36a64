using System.Runtime.InteropServices;

namespace NativeThreading.Interop;

internal static unsafe partial class NativeMethods
{
    [LibraryImport(Library)]
    public static partial int nth_lifo_semaphore_create(int initialPermits, long lingerNs, nint* semaphore);

    [LibraryImport(Library)]
    public static partial int nth_lifo_semaphore_wait(nint semaphore, long timeoutNs);

    [LibraryImport(Library)]
    public static partial int nth_lifo_semaphore_try_wait(nint semaphore);

    [LibraryImport(Library)]
    public static partial int nth_lifo_semaphore_release(nint semaphore, int count);

    [LibraryImport(Library)]
    public static partial int nth_lifo_semaphore_permits(nint semaphore);

    [LibraryImport(Library)]
    public static partial int nth_lifo_semaphore_waiters(nint semaphore);

    [LibraryImport(Library)]
    public static partial void nth_lifo_semaphore_destroy(nint semaphore);
}
