using System.Diagnostics;
using NativeThreading.Platform;

namespace NativeThreading.EventLoops;

/// <summary>The result of one call on a descriptor. Such calls do not throw: resets are common where clients connect and disconnect.</summary>
/// <example>
/// <code>
/// EventLoopIOResult result = registration.Read(buffer);
/// if (result.IsDisconnected)
/// {
///     registration.Dispose();
/// }
/// </code>
/// </example>
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

    /// <summary>Gets the number of bytes that were read or written. A successful read of 0 bytes means that the peer will write no more.</summary>
    public long Count { get; }

    /// <summary>Gets the system's error number (errno); 0 if the call succeeded.</summary>
    public int ErrorNumber { get; }

    /// <summary>Gets whether the call succeeded.</summary>
    public bool IsSuccess => ErrorNumber == 0;

    /// <summary>Gets whether the call would have blocked (EAGAIN). Try again when the loop reports the descriptor as ready.</summary>
    public bool WouldBlock => ErrorNumber == NativeCore.EAgain;

    /// <summary>Gets whether the peer or the network has closed the connection: ECONNRESET, EPIPE, ECONNABORTED or ETIMEDOUT.</summary>
    public bool IsDisconnected =>
        ErrorNumber is NativeCore.EConnReset or NativeCore.EPipe or NativeCore.EConnAborted or NativeCore.ETimedOut;

    /// <summary>Throws if the call failed. Does nothing if it succeeded or would have blocked.</summary>
    /// <exception cref="IOException">The call failed; <see cref="Exception.HResult"/> is errno.</exception>
    public void ThrowIfFailed()
    {
        if (!IsSuccess && !WouldBlock)
        {
            throw new IOException(NativeCore.Message(-ErrorNumber, _call!), ErrorNumber);
        }
    }
}
