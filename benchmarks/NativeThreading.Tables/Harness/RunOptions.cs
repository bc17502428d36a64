namespace NativeThreading.Tables.Harness;

/// <summary>What the command line asks of every table.</summary>
/// <param name="Quick">Fewer runs, the same rows.</param>
/// <param name="Full">More rows.</param>
/// <param name="OursAlone">Without peers and floors: for comparisons of NativeThreading with itself.</param>
/// <param name="JsonPath">Where the result goes as well.</param>
internal sealed record RunOptions(bool Quick, bool Full, bool OursAlone, string? JsonPath);
