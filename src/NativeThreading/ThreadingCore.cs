namespace NativeThreading;

/// <summary>What parks and wakes threads, measures time and finds blocked workers. All else is the same code with either.</summary>
public enum ThreadingCore
{
    /// <summary>The library's own native code.</summary>
    Native = 0,

    /// <summary>C# on the public API of .NET, where no native library fits or where it was asked for.</summary>
    Managed = 1,
}
