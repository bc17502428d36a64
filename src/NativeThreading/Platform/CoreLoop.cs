using System.Runtime.CompilerServices;

namespace NativeThreading.Platform;

/// <summary>The event loop of the core that runs, as in native_threading.h: counts and handles, or -errno. Only <see cref="Wake"/> and
/// <see cref="Stats"/> are for any thread.</summary>
/// <remarks>The native loop's memory is freed when neither the loop nor anything that could wake it is reachable. A caller keeps that
/// alive until its call returns.</remarks>
internal readonly unsafe struct CoreLoop(NativeEventLoopHandle? native, ManagedEventLoop? managed)
{
    /// <summary>NTH_WAKE_KERNEL.</summary>
    public const uint WakeThroughKernel = 1;

    /// <summary>NTH_POLL_LOOK.</summary>
    public const uint Look = 1;

    /// <summary>NTH_POLL_LINGER. The managed loop never lingers, and ignores all flags.</summary>
    public const uint Linger = 2;

    private static readonly bool s_isManaged = CoreChoice.IsManaged || !OperatingSystem.IsLinux(); // the native one needs epoll

    /// <summary>Whether descriptors can be waited for.</summary>
    public static bool HasDescriptors => !s_isManaged;

    public EventLoopStats Stats => s_isManaged ? managed!.Stats : native!.Stats;

    private nint Pointer => native!.Pointer;

    public static CoreLoop Create() =>
        s_isManaged ? new CoreLoop(null, new ManagedEventLoop()) : new CoreLoop(new NativeEventLoopHandle(), null);

    public void Close()
    {
        if (!s_isManaged) // else there is nothing to give back
        {
            NativeMethods.nth_event_loop_close(Pointer);
        }
    }

    public int Wake(uint flags)
    {
        int result = s_isManaged
            ? managed!.Wake()
            : NativeMethods.nth_event_loop_wake(Pointer, flags);
        GC.KeepAlive(native);
        return result;
    }

    public int Poll(NativeEvent* events, int capacity, long timeoutNanoseconds, uint flags) => s_isManaged
        ? managed!.Poll(events, capacity, timeoutNanoseconds)
        : NativeMethods.nth_event_loop_poll(Pointer, (nint)events, capacity, timeoutNanoseconds, flags);

    public long CreateTimer(ulong token) =>
        s_isManaged ? managed!.CreateTimer(token) : NativeMethods.nth_event_loop_timer_create(Pointer, token);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public int ArmTimer(long timer, long deadline) =>
        s_isManaged ? managed!.ArmTimer(timer, deadline) : NativeMethods.nth_event_loop_timer_arm(Pointer, timer, deadline);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public int CancelTimer(long timer) =>
        s_isManaged ? managed!.CancelTimer(timer) : NativeMethods.nth_event_loop_timer_cancel(Pointer, timer);

    public int DestroyTimer(long timer) =>
        s_isManaged ? managed!.CancelTimer(timer) : NativeMethods.nth_event_loop_timer_destroy(Pointer, timer);

    /// <summary>The three calls for descriptors need <see cref="HasDescriptors"/>.</summary>
    public long Add(int descriptor, uint interest, ulong token) => NativeMethods.nth_event_loop_add(Pointer, descriptor, interest, token);

    /// <inheritdoc cref="Add"/>
    public int Modify(long handle, uint interest) => NativeMethods.nth_event_loop_modify(Pointer, handle, interest);

    /// <inheritdoc cref="Add"/>
    public int Remove(long handle) => NativeMethods.nth_event_loop_remove(Pointer, handle);
}

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
