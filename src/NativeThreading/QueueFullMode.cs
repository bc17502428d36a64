namespace NativeThreading;

/// <summary>What becomes of a queueing call that finds <see cref="NativeThreadPoolOptions.QueueLimit"/> items waiting.</summary>
public enum QueueFullMode
{
    /// <summary>The call is refused with a <see cref="QueueFullException"/>.</summary>
    Reject,

    /// <summary>The caller waits until there is a permit: in the order of arrival, blocked in the synchronous calls, without a thread in
    /// <c>QueueAsync</c> and <c>RunAsync</c>. A synchronous call of one of the pool's own workers is refused instead, for a worker that
    /// waits for a permit takes nothing out of the queue.</summary>
    Wait,

    /// <summary>The item runs at once, on the calling thread, before the call returns. Where that thread has no stack left, as in an item
    /// that queues an item that queues an item, the call is refused.</summary>
    RunOnCaller,
}
