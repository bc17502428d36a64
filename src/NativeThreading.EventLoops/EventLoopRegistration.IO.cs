using System.Net;
using System.Net.Sockets;
using NativeThreading.EventLoops.Turns;
using NativeThreading.Platform;

namespace NativeThreading.EventLoops;

// Calls on the watched descriptor that only the loop's thread may make. They never block if the descriptor is non-blocking.
public sealed unsafe partial class EventLoopRegistration
{
    /// <summary>Reads the bytes that have arrived. Only the loop's thread may call it.</summary>
    /// <param name="buffer">The buffer for the bytes; not empty.</param>
    /// <returns>The number of bytes that were read, or the error. A failure of the connection is not an exception: see
    /// <see cref="EventLoopIOResult.ThrowIfFailed"/>.</returns>
    /// <exception cref="ArgumentException"><paramref name="buffer"/> is empty: a read of 0 bytes means the end of the stream.</exception>
    /// <exception cref="InvalidOperationException">The caller is not on the loop's thread.</exception>
    /// <exception cref="ObjectDisposedException">The registration is disposed.</exception>
    public EventLoopIOResult Read(Span<byte> buffer)
    {
        using LoopHold hold = BeforeCall();
        if (buffer.IsEmpty)
        {
            throw new ArgumentException("The buffer is empty.", nameof(buffer));
        }

        fixed (byte* memory = buffer)
        {
            return _isSocket
                ? new(CoreDescriptor.Receive(_descriptor, memory, buffer.Length), nameof(NativeMethods.nth_io_receive))
                : new(CoreDescriptor.Read(_descriptor, memory, buffer.Length), nameof(NativeMethods.nth_io_read));
        }
    }

    /// <summary>Accepts a connection of a listening socket. Only the loop's thread may call it.</summary>
    /// <param name="connection">The connection: non-blocking, and not inherited by child processes.</param>
    /// <returns><see langword="true"/> if a connection was accepted; <see langword="false"/> if none is waiting.</returns>
    /// <remarks>A <see cref="Socket"/> that you create from the handle closes the connection in an orderly way. If you dispose the handle without a
    /// socket, the connection is reset, and unsent bytes are lost.</remarks>
    /// <exception cref="IOException">The call failed; <see cref="Exception.HResult"/> is errno.</exception>
    /// <exception cref="InvalidOperationException">The caller is not on the loop's thread.</exception>
    /// <exception cref="ObjectDisposedException">The registration is disposed.</exception>
    public bool TryAccept(out SafeSocketHandle? connection)
    {
        using LoopHold hold = BeforeCall();
        return Accepted(CoreDescriptor.Accept(_descriptor, null, null), out connection);
    }

    /// <summary>Accepts a connection, and returns the address of its peer. Only the loop's thread may call it.</summary>
    /// <param name="peer">The object that receives the peer's address. It must have room for every address of the socket's family: see
    /// <see cref="SocketAddress.GetMaximumAddressSize"/>. One object serves for many calls; <see cref="EndPoint.Create"/> makes a copy.</param>
    /// <param name="connection">The connection: non-blocking, and not inherited by child processes.</param>
    /// <exception cref="ArgumentNullException"><paramref name="peer"/> is null.</exception>
    /// <exception cref="ArgumentException"><paramref name="peer"/> has no room for the address; the connection was closed.</exception>
    /// <inheritdoc cref="TryAccept(out SafeSocketHandle?)" path="/returns"/>
    /// <inheritdoc cref="TryAccept(out SafeSocketHandle?)" path="/remarks"/>
    /// <inheritdoc cref="TryAccept(out SafeSocketHandle?)" path="/exception"/>
    public bool TryAccept(SocketAddress peer, out SafeSocketHandle? connection)
    {
        ArgumentNullException.ThrowIfNull(peer);
        using LoopHold hold = BeforeCall();
        int room = peer.Buffer.Length, length = room;
        int result;
        fixed (byte* address = peer.Buffer.Span)
        {
            result = CoreDescriptor.Accept(_descriptor, address, &length);
        }

        bool isAccepted = Accepted(result, out connection);
        if (isAccepted && length > room)
        {
            connection!.Dispose();
            throw new ArgumentException($"The address requires {length} bytes, but only {room} bytes are available.", nameof(peer));
        }

        peer.Size = isAccepted ? length : peer.Size;
        return isAccepted;
    }

    private static bool Accepted(int result, out SafeSocketHandle? connection)
    {
        connection = result >= 0 ? new SafeSocketHandle(result, ownsHandle: true) : null;
        new EventLoopIOResult(result, nameof(NativeMethods.nth_io_accept)).ThrowIfFailed();
        return result >= 0;
    }

    /// <summary>The handle stays open while its handler runs, on any thread. Every other call keeps hold of the loop until it returns.</summary>
    private LoopHold BeforeCall()
    {
        ObjectDisposedException.ThrowIf(_gate.IsClosed, this);
        if (IsCalledHere)
        {
            return default;
        }

        var hold = new LoopHold(Loop);
        if (!hold.IsInLoop)
        {
            throw new InvalidOperationException($"Read and Accept must be called on the thread of {Loop}. Use Loop.Post or Loop.InvokeAsync.");
        }

        return hold;
    }
}
