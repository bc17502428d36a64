using System.Runtime.InteropServices;

namespace NativeThreading.Platform;

/// <summary>Owns a native semaphore. Calls are counted, unlike those with the pool's pointers: a wait may block for hours, and the
/// semaphore be disposed meanwhile (T91).</summary>
internal sealed unsafe class NativeSemaphoreHandle : SafeHandle
{
    /// <summary>-ETIMEDOUT and -EOVERFLOW on Linux.</summary>
    private const int TimedOut = -110;
    private const int Overflow = -75;

    public NativeSemaphoreHandle(int initialPermits, long lingerNanoseconds)
        : base(0, ownsHandle: true)
    {
        nint semaphore;
        NativeCore.Check(
            NativeMethods.nth_lifo_semaphore_create(initialPermits, lingerNanoseconds, &semaphore),
            nameof(NativeMethods.nth_lifo_semaphore_create));
        SetHandle(semaphore);
    }

    public override bool IsInvalid => handle == 0;

    public int Permits => Counted(NativeMethods.nth_lifo_semaphore_permits);

    public int Waiters => Counted(NativeMethods.nth_lifo_semaphore_waiters);

    public bool TryWait() => Counted(NativeMethods.nth_lifo_semaphore_try_wait) == 0;

    public bool Wait(long timeoutNanoseconds)
    {
        using var held = new HeldHandle(this);
        int result = NativeMethods.nth_lifo_semaphore_wait(handle, timeoutNanoseconds);
        return result != TimedOut && NativeCore.Check(result, nameof(NativeMethods.nth_lifo_semaphore_wait)) == 0;
    }

    /// <summary><see langword="false"/>: there would be too many permits, and none was added.</summary>
    public bool Release(int count)
    {
        using var held = new HeldHandle(this);
        int result = NativeMethods.nth_lifo_semaphore_release(handle, count);
        return result != Overflow && NativeCore.Check(result, nameof(NativeMethods.nth_lifo_semaphore_release)) == 0;
    }

    protected override bool ReleaseHandle()
    {
        NativeMethods.nth_lifo_semaphore_destroy(handle);
        return true;
    }

    private int Counted(Func<nint, int> function)
    {
        using var held = new HeldHandle(this);
        return function(handle);
    }
}

/// <summary>A handle stays open for as long as a call uses it (T91).</summary>
internal readonly ref struct HeldHandle
{
    private readonly SafeHandle _handle;

    /// <exception cref="ObjectDisposedException">The handle is closed.</exception>
    public HeldHandle(SafeHandle handle)
    {
        bool held = false;
        handle.DangerousAddRef(ref held);
        _handle = handle;
    }

    public void Dispose() => _handle.DangerousRelease();
}
