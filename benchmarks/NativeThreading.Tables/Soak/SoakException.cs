namespace NativeThreading.Tables.Soak;

/// <summary>What items throw on purpose.</summary>
internal sealed class SoakException() : Exception("thrown by the soak on purpose");
