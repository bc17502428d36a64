namespace NativeThreading.Platform;

/// <summary>Calls on descriptors, as in native_threading.h: a count or a descriptor, or -errno. They need <see cref="CoreLoop.HasDescriptors"/>.</summary>
/// <remarks>Here, because code that was compiled ahead calls native functions of its own assembly directly. For those of another assembly the runtime
/// compiles a stub when the process first calls each of them.</remarks>
internal static unsafe class CoreDescriptor
{
    public static long Receive(int descriptor, byte* memory, int length) => NativeMethods.nth_io_receive(descriptor, memory, (ulong)length);

    public static long Read(int descriptor, byte* memory, int length) => NativeMethods.nth_io_read(descriptor, memory, (ulong)length);

    public static long Write(int descriptor, NativeBuffer* buffers, int count) => NativeMethods.nth_io_writev(descriptor, (nint)buffers, count);

    public static int Shutdown(int descriptor, int how) => NativeMethods.nth_io_shutdown(descriptor, how);

    public static int Accept(int descriptor, void* address, int* length) => NativeMethods.nth_io_accept(descriptor, address, length);
}
