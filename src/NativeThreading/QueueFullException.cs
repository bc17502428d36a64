using System.Globalization;

namespace NativeThreading;

/// <summary>The queue of a pool is full, and the item was not queued.</summary>
public sealed class QueueFullException : InvalidOperationException
{
    /// <summary>Creates an exception that names no pool.</summary>
    public QueueFullException()
        : this("The pool's queue is full.")
    {
    }

    /// <summary>Creates an exception that names no pool.</summary>
    /// <param name="message">What happened.</param>
    public QueueFullException(string? message)
        : base(message)
    {
    }

    /// <summary>Creates an exception that names no pool.</summary>
    /// <param name="message">What happened.</param>
    /// <param name="innerException">Why.</param>
    public QueueFullException(string? message, Exception? innerException)
        : base(message, innerException)
    {
    }

    /// <summary>Creates an exception for a pool.</summary>
    /// <param name="poolName">The pool's name.</param>
    /// <param name="queueLimit">How many items may wait in it.</param>
    public QueueFullException(string poolName, int queueLimit)
        : this(poolName, queueLimit, "the item was not queued.")
    {
    }

    internal QueueFullException(string poolName, int queueLimit, string consequence)
        : base(string.Create(CultureInfo.InvariantCulture, $"The queue of pool {poolName} is full (QueueLimit = {queueLimit}); {consequence}"))
    {
        PoolName = poolName;
        QueueLimit = queueLimit;
    }

    /// <summary>The pool's name, or an empty string.</summary>
    public string PoolName { get; } = "";

    /// <summary>How many items may wait in the pool's queue, or 0.</summary>
    public int QueueLimit { get; }
}
