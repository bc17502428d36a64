namespace NativeThreading.Diagnostics;

/// <summary>A semaphore as a debugger shows it: two loads of its word. No exception after its disposal.</summary>
internal sealed class SemaphoreView(LifoSemaphore semaphore)
{
    /// <summary>Whether it was disposed. Then the other values are 0.</summary>
    public bool IsDisposed => semaphore.IsDisposed;
    public int CurrentCount => IsDisposed ? 0 : semaphore.CurrentCount;
    public int WaiterCount => IsDisposed ? 0 : semaphore.WaiterCount;
}
