namespace NativeThreading.SoakProgram;

/// <summary>What items throw on purpose.</summary>
internal sealed class SoakException() : Exception("thrown by the soak on purpose");
