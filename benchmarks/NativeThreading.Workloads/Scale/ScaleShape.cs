namespace NativeThreading.Workloads.Scale;

/// <summary>The work that is counted on real pools and in the simulation alike.</summary>
internal enum ScaleShape
{
    /// <summary>Chains of items in the global order, a producer for each worker.</summary>
    QuwiGlobal,

    /// <summary>The same in the workers' own deques.</summary>
    QuwiLocal,

    /// <summary>A tree whose nodes are items, ten children each, in the workers' own deques.</summary>
    Skynet,

    /// <summary>Items of one thread outside, round after round.</summary>
    FanOut,

    /// <summary>Requests of threads outside, a few at a time: an item that queues local ones, of which the last queues another.</summary>
    Service,
}
