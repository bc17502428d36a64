using System.Diagnostics.CodeAnalysis;

namespace NativeThreading;

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

    /// <summary>Once for each change, not for as long as readiness lasts: the handler must go on until the call would block.
    /// A call that moves less than asked for is no proof of that: see <see cref="EventLoopReadiness.Urgent"/>.</summary>
    EdgeTriggered = 1 << 5,
}
