namespace NativeThreading;

/// <summary>What a waiter of a <see cref="WorkGroup"/> throws when items have failed.</summary>
public enum WorkGroupErrors
{
    /// <summary>The first failure, as it was thrown.</summary>
    First,

    /// <summary>An <see cref="AggregateException"/> of all failures.</summary>
    All,
}
