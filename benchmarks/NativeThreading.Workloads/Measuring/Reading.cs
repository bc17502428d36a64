namespace NativeThreading.Workloads;

/// <summary>What a <see cref="Meter"/> saw between start and stop.</summary>
internal readonly record struct Reading(TimeSpan Elapsed, double? CpuNanoseconds, long? Switches)
{
    public Sample MillionsPerSecond(long operations) => Per(operations, operations / Elapsed.TotalSeconds / 1e6);

    public Sample NanosecondsPer(long operations) => Per(operations, Elapsed.TotalNanoseconds / operations);

    public Sample MicrosecondsPer(long operations) => Per(operations, Elapsed.TotalMicroseconds / operations);

    public Sample MillisecondsPer(long operations) => Per(operations, Elapsed.TotalMilliseconds / operations);

    /// <summary>A sample whose value is not a time, for example bytes.</summary>
    public Sample Per(long operations, double value) => new(value, CpuNanoseconds / operations, (double?)Switches / operations);
}
