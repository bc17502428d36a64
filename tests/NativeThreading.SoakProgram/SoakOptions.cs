namespace NativeThreading.SoakProgram;

/// <summary>What the command line asks for.</summary>
/// <param name="Time">How long the tracks run.</param>
/// <param name="Seed">Of the plan.</param>
/// <param name="Slow">What deadlines and bounds on times are multiplied by.</param>
/// <param name="Stops">Whether another process stops this one now and then.</param>
/// <param name="JsonPath">Where the report is written to as well.</param>
internal sealed record SoakOptions(TimeSpan Time, ulong Seed, double Slow, bool Stops, string? JsonPath);
