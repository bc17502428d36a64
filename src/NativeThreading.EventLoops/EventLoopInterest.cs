using System.Diagnostics.CodeAnalysis;

namespace NativeThreading.EventLoops;

/// <summary>What an <see cref="EventLoopRegistration"/> wants to be told about its descriptor.</summary>
[Flags]
[SuppressMessage("Design", "CA1027", Justification = "It is marked; the values are those of the native core.")]
public enum EventLoopInterest
{
    /// <summary>Only errors and the end of both directions. The loop reports them once, and then nothing until
    /// <see cref="EventLoopRegistration.Interest"/> is set.</summary>
    None = 0,

    /// <summary>That a read, or an accept, would not block.</summary>
    Read = 1 << 0,

    /// <summary>That a write would not block.</summary>
    Write = 1 << 1,

    /// <summary>Once for each change, not for as long as readiness lasts: the handler must continue until the call would block.
    /// A call that moves less than asked for is no proof of that: see <see cref="EventLoopReadiness.Urgent"/>.</summary>
    EdgeTriggered = 1 << 5,
}

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

    /// <summary>Both directions are closed. Always reported; for <see cref="EventLoopInterest.None"/> once.</summary>
    Hangup = 1 << 3,

    /// <summary>The descriptor has failed: the next call on it says how. Always reported; for <see cref="EventLoopInterest.None"/> once.</summary>
    Error = 1 << 4,

    /// <summary>The peer has sent an urgent byte (TCP's out-of-band data). A read stops at that byte, so a read that returns less than asked for
    /// does not mean that nothing is left. Reported only for <see cref="EventLoopInterest.Read"/> together with
    /// <see cref="EventLoopInterest.EdgeTriggered"/>.</summary>
    Urgent = 1 << 6,
}
