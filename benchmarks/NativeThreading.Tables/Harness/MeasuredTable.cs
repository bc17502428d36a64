namespace NativeThreading.Tables.Harness;

/// <summary>A table as it was measured: by which command, on what machine, and, if it could not be, why not.</summary>
internal sealed record MeasuredTable(string Command, Machine Machine, TableResult Result, string? Error = null);
