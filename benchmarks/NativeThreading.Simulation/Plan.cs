namespace NativeThreading.Simulation;

/// <summary>A run: what is simulated, on how many processors, and what things cost there.</summary>
/// <param name="Shape">The work.</param>
/// <param name="Workers">Each on a processor of its own; threads outside have others.</param>
/// <param name="Costs">Of the machine.</param>
/// <param name="Mending">Changes of the protocol.</param>
/// <param name="IsAwake">The workers look for work from the beginning; else they are parked, and woken one by another.</param>
/// <param name="Seed">Of what varies: how long items take. An odd number; an even one is the next odd one.</param>
internal sealed record Plan(ScaleShape Shape, int Workers, Costs Costs, Mending Mending = Mending.None, bool IsAwake = false, ulong Seed = 1)
{
    public Outcome Simulate()
    {
        var pool = new SimulatedPool(this);
        pool.Run();
        return new Outcome(pool.Executed, pool.Finished, pool.Counts, pool.Lost);
    }
}

/// <summary>What came of it.</summary>
/// <param name="Executed">Items.</param>
/// <param name="Nanoseconds">Until the last one had ended.</param>
/// <param name="Counts">As the library counts.</param>
/// <param name="Lost">Nanoseconds of all processors together, by what they were lost to.</param>
internal sealed record Outcome(long Executed, long Nanoseconds, long[] Counts, long[] Lost)
{
    public double MillionsPerSecond => Executed * 1e3 / Nanoseconds;
}
