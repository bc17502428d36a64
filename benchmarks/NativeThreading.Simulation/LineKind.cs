namespace NativeThreading.Simulation;

/// <summary>Whose line it is: what waiting is charged to.</summary>
internal enum LineKind
{
    /// <summary>The state word.</summary>
    Word,

    /// <summary>Who began to look last, and the flags of those that look.</summary>
    Looking,

    /// <summary>The tickets of a shard.</summary>
    Tickets,

    /// <summary>The lock, the head and the first slot of a shard.</summary>
    ShardHead,

    /// <summary>The ends of a worker's deque and lane.</summary>
    QueueEnds,

    /// <summary>A worker's gate.</summary>
    Gate,

    /// <summary>The count of workers that hold batches, and their marks.</summary>
    Holders,

    /// <summary>What an item carries from one processor to another.</summary>
    Items,

    /// <summary>No line: process-wide barriers.</summary>
    Barrier,

    /// <summary>No line: wakes, of those who wake.</summary>
    Wake,
}
