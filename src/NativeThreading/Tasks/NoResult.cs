namespace NativeThreading.Tasks;

/// <summary>The result type of operations without a result.</summary>
internal readonly struct NoResult;
