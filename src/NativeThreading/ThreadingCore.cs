namespace NativeThreading;

/// <summary>The code that parks and wakes threads, measures time and detects blocked workers. All other code is the same with both cores.</summary>
public enum ThreadingCore
{
    /// <summary>The native library of NativeThreading.</summary>
    Native = 0,

    /// <summary>C# on the public API of .NET: used if no native library fits the platform, or if a setting selects it.</summary>
    Managed = 1,
}
