namespace NativeThreading.Simulation;

/// <summary>Other forms of the protocol: what could be mended, and what was.</summary>
[Flags]
internal enum Mending
{
    None = 0,

    /// <summary>Whoever needs a process-wide barrier waits for one that somebody else will begin, if there is one.</summary>
    SharedBarriers = 1,

    /// <summary>A worker without work looks at some of the others at a time, beginning with another one each time.</summary>
    FewLooks = 2,

    /// <summary>A request wakes several where so many items wait.</summary>
    SeveralWakes = 4,

    /// <summary>As it was before: a worker looks for late batches of others at every look at the clock.</summary>
    ManyHolderLooks = 8,

    /// <summary>A worker that begins to look leaves another one's name where it is, as long as that one looks.</summary>
    LookerStays = 16,

    /// <summary>A producer asks for a worker where its shard was empty, and for every so many items.</summary>
    RareRequests = 32,
}
