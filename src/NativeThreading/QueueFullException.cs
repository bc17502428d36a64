using System.Globalization;

namespace NativeThreading;

/// <summary>Thrown when the queue of a pool is full. The item was not queued.</summary>
/// <example>
/// <code>
/// try
/// {
///     pool.QueueUserWorkItem(static _ =&gt; { }, null);
/// }
/// catch (QueueFullException full)
/// {
///     Console.WriteLine(full.Message);
/// }
/// </code>
/// </example>
public sealed class QueueFullException : InvalidOperationException
{
    /// <summary>Creates an exception that names no pool.</summary>
    public QueueFullException()
        : this("The pool's queue is full.")
    {
    }

    /// <summary>Creates an exception that names no pool.</summary>
    /// <param name="message">The message.</param>
    public QueueFullException(string? message)
        : base(message)
    {
    }

    /// <summary>Creates an exception that names no pool.</summary>
    /// <param name="message">The message.</param>
    /// <param name="innerException">The exception that is the cause.</param>
    public QueueFullException(string? message, Exception? innerException)
        : base(message, innerException)
    {
    }

    /// <summary>Creates an exception for a pool.</summary>
    /// <param name="poolName">The pool's name.</param>
    /// <param name="queueLimit">The limit of items that may wait in the queue.</param>
    public QueueFullException(string poolName, int queueLimit)
        : this(poolName, queueLimit, "The item was not queued.")
    {
    }

    internal QueueFullException(string poolName, int queueLimit, string consequence)
        : base(string.Create(CultureInfo.InvariantCulture, $"The queue of pool '{poolName}' is full (QueueLimit = {queueLimit}). {consequence}"))
    {
        PoolName = poolName;
        QueueLimit = queueLimit;
    }

    /// <summary>Gets the pool's name, or an empty string.</summary>
    public string PoolName { get; } = "";

    /// <summary>Gets the limit of items that may wait in the pool's queue, or 0.</summary>
    public int QueueLimit { get; }
}

/// <summary>How a queueing call behaves while <see cref="NativeThreadPoolOptions.QueueLimit"/> items wait.</summary>
public enum QueueFullMode
{
    /// <summary>The call throws a <see cref="QueueFullException"/>.</summary>
    Reject,

    /// <summary>The caller waits for a permit, in the order of the calls: synchronous calls block, <c>QueueAsync</c> and <c>RunAsync</c> wait without
    /// a thread. A synchronous call of one of the pool's own workers throws a <see cref="QueueFullException"/> instead, because a worker that
    /// waits for a permit takes no items out of the queue.</summary>
    Wait,

    /// <summary>The item runs at once, on the calling thread, before the call returns. If that thread has no stack left, as in an item
    /// that queues an item that queues an item, the call throws a <see cref="QueueFullException"/>.</summary>
    RunOnCaller,
}
