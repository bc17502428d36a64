using System.Runtime.InteropServices;

namespace NativeThreading.Platform;

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
