namespace NativeThreading;

/// <summary>What a descriptor is ready for, as told to the handler of an <see cref="EventLoopRegistration"/>.</summary>
[Flags]
public enum EventLoopReadiness
{
    /// <summary>Nothing.</summary>
    None = 0,

    /// <summary>A read, or an accept, does not block.</summary>
    Read = 1 << 0,

    /// <summary>A write does not block.</summary>
    Write = 1 << 1,

    /// <summary>The peer writes no more. Reported only for <see cref="EventLoopInterest.Read"/>.</summary>
    PeerClosed = 1 << 2,

    /// <summary>Both directions are closed. Always reported.</summary>
    Hangup = 1 << 3,

    /// <summary>The descriptor has failed: the next call on it says how. Always reported.</summary>
    Error = 1 << 4,
}
