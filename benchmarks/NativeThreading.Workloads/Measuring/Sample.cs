namespace NativeThreading.Workloads;

/// <summary>What one run of one contender yielded. CPU time and switches are those of the whole process, per
/// operation, and null where the system does not tell.</summary>
internal readonly record struct Sample(double Value, double? CpuNanoseconds, double? Switches)
{
    /// <summary>The sample of so many operations together, from that of one.</summary>
    public Sample Times(long operations) => new(Value * operations, CpuNanoseconds * operations, Switches * operations);

    /// <summary>The same sample, of a time in nanoseconds, with the time in microseconds.</summary>
    public Sample InMicroseconds() => this with { Value = Value / 1_000 };

    /// <summary>The same sample, of a time in nanoseconds, with the time in milliseconds.</summary>
    public Sample InMilliseconds() => this with { Value = Value / 1_000_000 };
}
