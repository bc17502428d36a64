using System.Runtime.InteropServices;

namespace NativeThreading.Interop;

/// <summary>Owns a native semaphore. Calls are counted, unlike those with the pool's pointers: a wait may block for hours, and the
/// semaphore be disposed meanwhile (T91).</summary>
internal sealed unsafe class LifoSemaphoreHandle : SafeHandle
{
    /// <summary>-ETIMEDOUT and -EOVERFLOW on Linux.</summary>
    public const int TimedOut = -110;
    public const int Overflow = -75;

    public LifoSemaphoreHandle()
        : base(0, ownsHandle: true)
    {
    }

    public override bool IsInvalid => handle == 0;

    public static LifoSemaphoreHandle Create(int initialPermits, long lingerNanoseconds)
    {
        var owner = new LifoSemaphoreHandle();
        nint semaphore;
        NativeCore.Check(
            NativeMethods.nth_lifo_semaphore_create(initialPermits, lingerNanoseconds, &semaphore),
            nameof(NativeMethods.nth_lifo_semaphore_create));
        owner.SetHandle(semaphore);
        return owner;
    }

    protected override bool ReleaseHandle()
    {
        NativeMethods.nth_lifo_semaphore_destroy(handle);
        return true;
    }
}
