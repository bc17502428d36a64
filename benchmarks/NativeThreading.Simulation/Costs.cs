namespace NativeThreading.Simulation;

/// <summary>
/// What things cost, in nanoseconds. A line's transfer is the parameter of the whole: from one processor's cache to another's.
/// </summary>
internal sealed record Costs
{
    /// <summary>A line from another processor. 30 to 60 within a cluster of cores, 100 across one socket, 200 across two.</summary>
    public long Transfer { get; init; } = 100;

    /// <summary>An access to a line that the processor has.</summary>
    public long Hit { get; init; } = 1;

    /// <summary>An interlocked instruction or a full fence, beyond its access.</summary>
    public long Atomic { get; init; } = 8;

    /// <summary>An empty item, from its take to its end, beyond what its queue costs.</summary>
    public long Item { get; init; } = 30;

    /// <summary>Making an item before it is pushed.</summary>
    public long Make { get; init; } = 4;

    /// <summary>A wake, for the one who wakes.</summary>
    public long Wake { get; init; } = 6_000;

    /// <summary>From a wake until the other one runs.</summary>
    public long WakeLatency { get; init; } = 18_000;

    /// <summary>A process-wide barrier while nobody else of the process runs.</summary>
    public long Barrier { get; init; } = 300;

    /// <summary>What it costs in addition while others run, and for each of them.</summary>
    public long BarrierBesideOthers { get; init; } = 1_500;

    /// <summary>For each other processor that runs a thread of the process.</summary>
    public long BarrierPerOther { get; init; } = 50;

    /// <summary>What it costs each of them: an interrupt.</summary>
    public long Interrupt { get; init; } = 1_000;

    /// <summary>One poll of whoever polls.</summary>
    public long Poll { get; init; } = 40;

    /// <summary>A look at the clock.</summary>
    public long Clock { get; init; } = 20;

    /// <summary>Yielding the processor to nobody.</summary>
    public long Yield { get; init; } = 500;

    /// <summary>The machine of the tables: two virtual processors, whose interrupts pass through a hypervisor.</summary>
    public static Costs OfTheTables { get; } = new() { Transfer = 100, BarrierBesideOthers = 12_000, Interrupt = 3_000 };

    /// <summary>An item of 24 bytes out of lines of 64 that another processor has written, or will read.</summary>
    public long ItemTransfer => Transfer * 24 / 64;
}
