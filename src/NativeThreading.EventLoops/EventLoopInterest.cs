using System.Diagnostics.CodeAnalysis;

namespace NativeThreading.EventLoops;

/// <summary>The events of its descriptor that an <see cref="EventLoopRegistration"/> reports to its handler.</summary>
[Flags]
[SuppressMessage("Design", "CA1027", Justification = "It is marked; the values are those of the native core.")]
public enum EventLoopInterest
{
    /// <summary>Only errors and the end of both directions. The loop reports them once, and then no more until
    /// <see cref="EventLoopRegistration.Interest"/> is set.</summary>
    None = 0,

    /// <summary>A read, or an accept, would not block.</summary>
    Read = 1 << 0,

    /// <summary>A write would not block.</summary>
    Write = 1 << 1,

    /// <summary>The loop reports each change once, instead of in each turn while the descriptor stays ready. The handler must continue until the call would
    /// block. A call that moves fewer bytes than requested does not prove that: see <see cref="EventLoopReadiness.Urgent"/>.</summary>
    EdgeTriggered = 1 << 5,
}

/// <summary>The events of a descriptor, as the loop reports them to the handler of an <see cref="EventLoopRegistration"/>.</summary>
[Flags]
public enum EventLoopReadiness
{
    /// <summary>No event.</summary>
    None = 0,

    /// <summary>A read, or an accept, does not block.</summary>
    Read = 1 << 0,

    /// <summary>A write does not block.</summary>
    Write = 1 << 1,

    /// <summary>The peer will write no more. Reported only for <see cref="EventLoopInterest.Read"/>.</summary>
    PeerClosed = 1 << 2,

    /// <summary>Both directions are closed. Always reported; for <see cref="EventLoopInterest.None"/> once.</summary>
    Hangup = 1 << 3,

    /// <summary>The descriptor has failed: the next call on it returns the error. Always reported; for <see cref="EventLoopInterest.None"/> once.</summary>
    Error = 1 << 4,

    /// <summary>The peer has sent an urgent byte (TCP's out-of-band data). A read stops at that byte, so a read that returns fewer bytes than requested
    /// does not mean that no data is left. Reported only for <see cref="EventLoopInterest.Read"/> together with
    /// <see cref="EventLoopInterest.EdgeTriggered"/>.</summary>
    Urgent = 1 << 6,
}
