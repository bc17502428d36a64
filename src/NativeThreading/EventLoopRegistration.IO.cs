using System.Buffers;
using System.Net.Sockets;
using NativeThreading.EventLoops;
using NativeThreading.Interop;

namespace NativeThreading;

/// <summary>Calls on the watched descriptor. They never block if it is non-blocking.</summary>
public sealed unsafe partial class EventLoopRegistration
{
    /// <summary>NTH_SHUTDOWN_WRITE.</summary>
    internal const int DirectionOfWriting = 1;

    /// <summary>Reads what has arrived. Only on the loop's thread.</summary>
    /// <param name="buffer">Receives the bytes; not empty.</param>
    /// <param name="count">How many bytes were read; 0 if the peer writes no more.</param>
    /// <returns><see langword="false"/> if nothing has arrived.</returns>
    /// <exception cref="ArgumentException"><paramref name="buffer"/> is empty: no bytes and the end could not be told apart.</exception>
    /// <exception cref="IOException">The connection has failed; <see cref="Exception.HResult"/> is errno.</exception>
    /// <exception cref="InvalidOperationException">The caller is not on the loop's thread.</exception>
    /// <exception cref="ObjectDisposedException">The registration is disposed.</exception>
    public bool TryRead(Span<byte> buffer, out int count)
    {
        BeforeCall();
        if (buffer.IsEmpty)
        {
            throw new ArgumentException("The buffer is empty.", nameof(buffer));
        }

        long result;
        fixed (byte* memory = buffer)
        {
            result = NativeMethods.nth_io_read(_descriptor, memory, (ulong)buffer.Length);
        }

        count = (int)Math.Max(result, 0);
        return Succeeded(result, nameof(NativeMethods.nth_io_read));
    }

    /// <summary>Writes as much as the descriptor takes. Only on the loop's thread.</summary>
    /// <param name="buffer">What to write.</param>
    /// <param name="count">How many bytes were written, perhaps not all.</param>
    /// <returns><see langword="false"/> if the descriptor takes none at present.</returns>
    /// <inheritdoc cref="TryRead" path="/exception[not(@cref='T:System.ArgumentException')]"/>
    public bool TryWrite(ReadOnlySpan<byte> buffer, out int count)
    {
        BeforeCall();
        long result;
        fixed (byte* memory = buffer)
        {
            var whole = new NativeBuffer { Base = memory, Length = (ulong)buffer.Length };
            result = NativeMethods.nth_io_writev(_descriptor, (nint)(&whole), 1);
        }

        count = (int)Math.Max(result, 0);
        return Succeeded(result, nameof(NativeMethods.nth_io_writev));
    }

    /// <summary>Writes several buffers in one system call, as much as the descriptor takes. Only on the loop's thread.</summary>
    /// <param name="buffers">What to write. Of very many segments only the first are written.</param>
    /// <param name="count">How many bytes were written, perhaps not all.</param>
    /// <returns><see langword="false"/> if the descriptor takes none at present.</returns>
    /// <inheritdoc cref="TryRead" path="/exception[not(@cref='T:System.ArgumentException')]"/>
    public bool TryWrite(in ReadOnlySequence<byte> buffers, out long count)
    {
        if (buffers.IsSingleSegment)
        {
            bool written = TryWrite(buffers.FirstSpan, out int single);
            count = single;
            return written;
        }

        BeforeCall();
        using var gathered = new GatheredBuffers(buffers, stackalloc NativeBuffer[LoopTuning.GatheredSegments], Loop.Pins);
        long result;
        fixed (NativeBuffer* vector = gathered.Vector)
        {
            result = NativeMethods.nth_io_writev(_descriptor, (nint)vector, gathered.Vector.Length);
        }

        count = Math.Max(result, 0);
        return Succeeded(result, nameof(NativeMethods.nth_io_writev));
    }

    /// <summary>Accepts a connection of a listening socket. Only on the loop's thread.</summary>
    /// <param name="connection">The connection: non-blocking, and not inherited by child processes.</param>
    /// <returns><see langword="false"/> if none is waiting.</returns>
    /// <remarks>A <see cref="Socket"/> made of the handle closes the connection in an orderly way. A handle that is disposed without a
    /// socket closes it abortively: the peer is reset, and unsent bytes are lost.</remarks>
    /// <inheritdoc cref="TryRead" path="/exception[not(@cref='T:System.ArgumentException')]"/>
    public bool TryAccept(out SafeSocketHandle? connection)
    {
        BeforeCall();
        int result = NativeMethods.nth_io_accept(_descriptor);
        connection = result >= 0 ? new SafeSocketHandle(result, ownsHandle: true) : null;
        return Succeeded(result, nameof(NativeMethods.nth_io_accept));
    }

    /// <summary>Tells the peer that nothing more will be written; reading goes on. Only on the loop's thread.</summary>
    /// <inheritdoc cref="TryRead" path="/exception[not(@cref='T:System.ArgumentException')]"/>
    public void ShutdownWrite()
    {
        BeforeCall();
        int result = NativeMethods.nth_io_shutdown(_descriptor, DirectionOfWriting);
        if (result < 0)
        {
            throw Failed(result, nameof(NativeMethods.nth_io_shutdown));
        }
    }

    /// <summary><see langword="false"/>: the call would have blocked.</summary>
    private static bool Succeeded(long result, string call) =>
        result >= 0 || (result == -NativeCore.EAgain ? false : throw Failed(result, call));

    private static IOException Failed(long result, string call) => new(NativeCore.Message((int)result, call), (int)-result);

    private void BeforeCall()
    {
        ObjectDisposedException.ThrowIf(_gate.IsClosed, this);
        if (!Loop.IsInLoop)
        {
            throw new InvalidOperationException($"Descriptors are read and written on the thread of {Loop} alone.");
        }
    }
}
