namespace NativeThreading.Kestrel.Adaptive;

/// <summary>What a piece of code has done to its thread.</summary>
internal enum Verdict
{
    /// <summary>It took less than a millisecond of it.</summary>
    Short,

    /// <summary>It took longer, and nobody can tell whose fault that is: a garbage collection may have fallen into it.</summary>
    Unknown,

    /// <summary>It took longer by the clock, and nobody has looked at more than that: the next ones are to be watched closely.</summary>
    Long,

    /// <summary>It computed for a millisecond or more.</summary>
    Computes,

    /// <summary>It slept for a millisecond or more.</summary>
    Waits,

    /// <summary>It blocked, so that another thread took its loop over.</summary>
    Blocks,

    /// <summary>It computed for so long that another thread took its loop over.</summary>
    HoldsUp,
}
