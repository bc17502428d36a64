namespace NativeThreading;

/// <summary>What other packages of this library need in order to go on.</summary>
public sealed partial class NativeThreadPool
{
    /// <summary>
    /// Queues a callback that continues work already accepted, in the global order, without the execution context. Never
    /// refused, whatever the limit of the queue; where the pool has stopped, or no thread can be had, it runs on the runtime's
    /// pool. Allocates nothing.
    /// </summary>
    /// <param name="callback">Called once; its argument says nothing.</param>
    internal void EnqueueContinuation(Action<object?> callback) =>
        EnqueueTask(callback, Task.CompletedTask, preferLocal: false); // a task as the state: what no stop drops
}
