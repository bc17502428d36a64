using System.Runtime.InteropServices;

namespace NativeThreading.Interop;

internal static unsafe partial class NativeMethods
{
    [LibraryImport(Library)]
    public static partial int nth_io_set_nonblocking(int descriptor);

    [LibraryImport(Library)]
    public static partial int nth_io_accept(int descriptor);

    [LibraryImport(Library)]
    public static partial long nth_io_read(int descriptor, void* memory, ulong length);

    [LibraryImport(Library)]
    public static partial long nth_io_writev(int descriptor, nint buffers, int count);

    [LibraryImport(Library)]
    public static partial int nth_io_shutdown(int descriptor, int how);

    [LibraryImport(Library)]
    public static partial int nth_io_close(int descriptor);
}
