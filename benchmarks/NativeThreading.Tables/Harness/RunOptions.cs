namespace NativeThreading.Tables.Harness;

/// <summary>What the command line asks of every table.</summary>
internal sealed record RunOptions(bool Quick, bool Full, string? JsonPath);
