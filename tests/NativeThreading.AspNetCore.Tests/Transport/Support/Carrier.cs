namespace NativeThreading.AspNetCore.Tests.Transport.Support;

/// <summary>What carries Kestrel's connections.</summary>
public enum Carrier
{
    /// <summary>Kestrel's own sockets: what the contract is read from.</summary>
    Sockets,

    /// <summary>Loops, the application on the built-in pool.</summary>
    Loops,

    /// <summary>Loops, the application on a pool of this library.</summary>
    LoopsAndPool,

    /// <summary>Loops, the application on them.</summary>
    LoopsAlone,

    /// <summary>Loops, the application where it is learned that it may run: by default.</summary>
    Adaptive,
}
