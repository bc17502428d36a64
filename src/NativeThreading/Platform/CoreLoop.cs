using System.Runtime.CompilerServices;

namespace NativeThreading.Platform;

/// <summary>The event loop of the core that runs, as in native_threading.h: counts and handles, or -errno. Only <see cref="Wake"/> and
/// <see cref="Stats"/> are for any thread.</summary>
/// <remarks>The native loop's memory is freed when neither the loop nor anything that could wake it is reachable. A caller keeps that
/// alive until its call returns.</remarks>
internal readonly unsafe struct CoreLoop
{
    /// <summary>NTH_WAKE_KERNEL.</summary>
    public const uint WakeThroughKernel = 1;

    /// <summary>NTH_POLL_LOOK.</summary>
    public const uint Look = 1;

    /// <summary>NTH_POLL_LINGER. The managed loop never lingers, and ignores all flags.</summary>
    public const uint Linger = 2;

    private static readonly bool s_isManaged = CoreChoice.IsManaged || !OperatingSystem.IsLinux(); // the native one needs epoll

    private readonly NativeEventLoopHandle? _native;
    private readonly ManagedEventLoop? _managed;

    private CoreLoop(NativeEventLoopHandle? native, ManagedEventLoop? managed)
    {
        _native = native;
        _managed = managed;
    }

    /// <summary>Whether descriptors can be waited for.</summary>
    public static bool HasDescriptors => !s_isManaged;

    public EventLoopStats Stats => s_isManaged ? _managed!.Stats : _native!.Stats;

    private nint Pointer => _native!.Pointer;

    public static CoreLoop Create() =>
        s_isManaged ? new CoreLoop(null, new ManagedEventLoop()) : new CoreLoop(new NativeEventLoopHandle(), null);

    public void Close()
    {
        if (s_isManaged)
        {
            _managed!.Close();
        }
        else
        {
            NativeMethods.nth_event_loop_close(Pointer);
        }
    }

    public int Wake(uint flags)
    {
        int result = s_isManaged
            ? _managed!.Wake()
            : NativeMethods.nth_event_loop_wake(Pointer, flags);
        GC.KeepAlive(_native);
        return result;
    }

    public int Poll(NativeEvent* events, int capacity, long timeoutNanoseconds, uint flags) => s_isManaged
        ? _managed!.Poll(events, capacity, timeoutNanoseconds)
        : NativeMethods.nth_event_loop_poll(Pointer, (nint)events, capacity, timeoutNanoseconds, flags);

    public long CreateTimer(ulong token) =>
        s_isManaged ? _managed!.CreateTimer(token) : NativeMethods.nth_event_loop_timer_create(Pointer, token);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public int ArmTimer(long timer, long deadline) =>
        s_isManaged ? _managed!.ArmTimer(timer, deadline) : NativeMethods.nth_event_loop_timer_arm(Pointer, timer, deadline);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public int CancelTimer(long timer) =>
        s_isManaged ? _managed!.CancelTimer(timer) : NativeMethods.nth_event_loop_timer_cancel(Pointer, timer);

    public int DestroyTimer(long timer) =>
        s_isManaged ? _managed!.DestroyTimer(timer) : NativeMethods.nth_event_loop_timer_destroy(Pointer, timer);

    /// <summary>The three calls for descriptors need <see cref="HasDescriptors"/>.</summary>
    public long Add(int descriptor, uint interest, ulong token) => NativeMethods.nth_event_loop_add(Pointer, descriptor, interest, token);

    /// <inheritdoc cref="Add"/>
    public int Modify(long handle, uint interest) => NativeMethods.nth_event_loop_modify(Pointer, handle, interest);

    /// <inheritdoc cref="Add"/>
    public int Remove(long handle) => NativeMethods.nth_event_loop_remove(Pointer, handle);
}
