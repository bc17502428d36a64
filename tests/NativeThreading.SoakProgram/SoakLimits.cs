namespace NativeThreading.SoakProgram;

/// <summary>How long things may take, and how much of the machine all of it may use.</summary>
/// <param name="slow">What times are multiplied by: for instrumented builds, and for machines that are busy.</param>
/// <remarks>Times are wide, because the soak keeps its processors busy a few times over; a hang lasts indefinitely.</remarks>
internal sealed class SoakLimits(double slow)
{
    /// <summary>A part of a round: longer, and it hangs.</summary>
    public TimeSpan Phase { get; } = slow * TimeSpan.FromSeconds(30);

    /// <summary>From the end of a pool to its last item, which a stop by token leaves running.</summary>
    public TimeSpan Balance { get; } = slow * TimeSpan.FromSeconds(15);

    /// <summary>The whole life of a recycled pool, 99 of 100, however busy the others are.</summary>
    public TimeSpan RecycledP99 { get; } = slow * TimeSpan.FromSeconds(1);

    /// <summary>And of each.</summary>
    public TimeSpan RecycledWorst { get; } = slow * TimeSpan.FromSeconds(10);

    /// <summary>Threads of the process at any time.</summary>
    public int Threads => 1_000;

    /// <summary>Threads more than at the first rest, when all tracks rest, without the runtime's own.</summary>
    public int ThreadsAtRest => 6;

    /// <summary>Descriptors open at any time.</summary>
    public int Descriptors => 2_000;

    /// <summary>Descriptors more than at the first rest, when all tracks rest.</summary>
    public int DescriptorsAtRest => 12;

    /// <summary>Resident memory at any time.</summary>
    public long ResidentBytes => 1_500L << 20;

    /// <summary>Resident memory more than at the first rest, when all tracks rest.</summary>
    public long ResidentBytesAtRest => 250L << 20;

    /// <summary>Live objects more than at the first rest, after a collection.</summary>
    public long ManagedBytesAtRest => 24L << 20;

    /// <summary>Pools that stopped and are reachable when all tracks rest: what a thread's stack or registers still hold.</summary>
    public int PoolsAtRest => 24;
}
