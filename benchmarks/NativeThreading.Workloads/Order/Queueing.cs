namespace NativeThreading.Workloads.Order;

/// <summary>How the items of a row come into the pool.</summary>
internal enum Queueing
{
    /// <summary>Threads that belong to no pool queue them.</summary>
    Outside,

    /// <summary>A worker queues them all in one item, in the global order.</summary>
    Worker,

    /// <summary>Tasks, from a thread outside.</summary>
    Factory,

    /// <summary>From outside, to a pool that lets only <see cref="OrderShape.QueueLimit"/> wait. The built-in pool has no limit.</summary>
    Limited,

    /// <summary>From outside; one item in the first quarter blocks until all others have ended.</summary>
    Blocked,

    /// <summary>From outside: behind thousands of short items come long ones.</summary>
    ShortThenLong,
}
