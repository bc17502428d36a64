namespace NativeThreading.Tables.Harness;

/// <summary>What one run of one contender yielded. CPU time and switches are those of the whole process, per
/// operation, and null where the system does not tell.</summary>
internal readonly record struct Sample(double Value, double? CpuNanoseconds, double? Switches);
