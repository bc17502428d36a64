using System.Diagnostics;
using NativeThreading.Platform;

namespace NativeThreading.EventLoops;

/// <summary>What one call on a descriptor did, without an exception: where connections come and go, resets are ordinary.</summary>
[DebuggerDisplay("{IsSuccess ? Count : -ErrorNumber}")]
public readonly record struct EventLoopIOResult
{
    private readonly string? _call;

    /// <param name="result">A count, or a negative errno.</param>
    /// <param name="call">The function that returned it.</param>
    internal EventLoopIOResult(long result, string call)
    {
        Count = Math.Max(result, 0);
        ErrorNumber = (int)-Math.Min(result, 0);
        _call = call;
    }

    /// <summary>Bytes that were moved. A read that moved none, and did not fail, has reached the end: the peer writes no more.</summary>
    public long Count { get; }

    /// <summary>errno; 0 where the call succeeded.</summary>
    public int ErrorNumber { get; }

    /// <summary>Whether the call succeeded.</summary>
    public bool IsSuccess => ErrorNumber == 0;

    /// <summary>Whether the call would have blocked (EAGAIN): the loop tells when it is worth trying again.</summary>
    public bool WouldBlock => ErrorNumber == NativeCore.EAgain;

    /// <summary>Whether the peer, or the way to it, has ended the connection: ECONNRESET, EPIPE, ECONNABORTED or ETIMEDOUT.</summary>
    public bool IsDisconnected =>
        ErrorNumber is NativeCore.EConnReset or NativeCore.EPipe or NativeCore.EConnAborted or NativeCore.ETimedOut;

    /// <summary>Does nothing where the call succeeded or would have blocked.</summary>
    /// <exception cref="IOException">The call failed; <see cref="Exception.HResult"/> is errno.</exception>
    public void ThrowIfFailed()
    {
        if (!IsSuccess && !WouldBlock)
        {
            throw new IOException(NativeCore.Message(-ErrorNumber, _call!), ErrorNumber);
        }
    }

    /// <inheritdoc/>
    public bool Equals(EventLoopIOResult other) => (Count, ErrorNumber) == (other.Count, other.ErrorNumber);

    /// <inheritdoc/>
    public override int GetHashCode() => HashCode.Combine(Count, ErrorNumber);
}
