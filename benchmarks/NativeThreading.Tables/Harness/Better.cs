namespace NativeThreading.Tables.Harness;

/// <summary>Which direction of a row's value is the good one.</summary>
internal enum Better
{
    Higher,
    Lower,
}
