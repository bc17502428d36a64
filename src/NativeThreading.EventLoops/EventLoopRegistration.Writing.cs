using System.Buffers;
using System.Net.Sockets;
using System.Runtime.CompilerServices;
using NativeThreading.EventLoops.Turns;
using NativeThreading.Platform;

namespace NativeThreading.EventLoops;

// Calls on the watched descriptor that any thread may make. They never block if it is non-blocking.
public sealed unsafe partial class EventLoopRegistration
{
    /// <summary>Writes as many bytes as the descriptor takes. Any thread may call it, but one at a time: the bytes of two writers would be
    /// interleaved.</summary>
    /// <param name="buffer">The bytes to write.</param>
    /// <returns>The number of bytes that were written, which may be less than all, or the error. A failure of the connection is not an exception.</returns>
    /// <remarks>
    /// <para>If the descriptor takes no more (<see cref="EventLoopIOResult.WouldBlock"/>, or fewer bytes than all), add
    /// <see cref="EventLoopInterest.Write"/> to <see cref="Interest"/>, and continue when the loop calls the handler. Only one thread at a time may change
    /// the interest.</para>
    /// <para>If another thread disposes the registration or the loop at the same moment, the call either throws or completes. A call that has started
    /// always writes to this descriptor: the handle is released after the call, and <see cref="DisposeAsync"/> completes after it.</para>
    /// </remarks>
    /// <exception cref="ObjectDisposedException">The registration is disposed, or its loop has stopped.</exception>
    public EventLoopIOResult Write(ReadOnlySpan<byte> buffer)
    {
        using WriteHold hold = BeforeWrite();
        fixed (byte* memory = buffer)
        {
            var whole = new NativeBuffer { Base = memory, Length = (ulong)buffer.Length };
            return new(CoreDescriptor.Write(_descriptor, &whole, 1), nameof(NativeMethods.nth_io_writev));
        }
    }

    /// <summary>Writes several buffers in one system call, as many bytes as the descriptor takes. Any thread may call it, but one at a time.</summary>
    /// <param name="buffers">The bytes to write. One call writes at most the first 64 segments.</param>
    /// <inheritdoc cref="Write(ReadOnlySpan{byte})" path="/*[self::returns or self::remarks or self::exception]"/>
    public EventLoopIOResult Write(in ReadOnlySequence<byte> buffers)
    {
        if (buffers.IsSingleSegment)
        {
            return Write(buffers.FirstSpan);
        }

        using WriteHold hold = BeforeWrite();
        return WriteGathered(buffers);
    }

    /// <summary>Closes the sending side of the connection: the peer reads the end of the stream. Reading remains possible. Any thread may call it, after its
    /// last write. A write at the same moment completes before the call, or fails as it does on a closed connection.</summary>
    /// <exception cref="IOException">The call failed; <see cref="Exception.HResult"/> is errno.</exception>
    /// <inheritdoc cref="Write(ReadOnlySpan{byte})" path="/exception"/>
    public void ShutdownWrite()
    {
        using WriteHold hold = BeforeWrite();
        new EventLoopIOResult(
            CoreDescriptor.Shutdown(_descriptor, (int)SocketShutdown.Send), nameof(NativeMethods.nth_io_shutdown)).ThrowIfFailed();
    }

    /// <summary>The calling thread no longer relies on the handle.</summary>
    internal void LeaveHandle()
    {
        if (_uses.Leave())
        {
            Handle.DangerousRelease();
            Interlocked.Exchange(ref _isReleased, 1); // pairs with HandlerGate.End: this thread sees the call ended, or that one this
            CompleteRelease();
        }
    }

    /// <summary>A method of its own: only this frame has room for pins, which costs time to clear.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    private EventLoopIOResult WriteGathered(in ReadOnlySequence<byte> buffers)
    {
        NativeBuffer* vector = stackalloc NativeBuffer[LoopTuning.GatheredSegments];
        var room = default(PinRoom);
        Span<MemoryHandle> pins = room;
        int count = 0;
        try
        {
            foreach (ReadOnlyMemory<byte> segment in buffers)
            {
                if (count == LoopTuning.GatheredSegments)
                {
                    break;
                }

                if (!segment.IsEmpty)
                {
                    pins[count] = segment.Pin(); // memory of a type of the caller may throw when it is pinned
                    vector[count] = new NativeBuffer { Base = pins[count].Pointer, Length = (ulong)segment.Length };
                    count++;
                }
            }

            return new(CoreDescriptor.Write(_descriptor, vector, count), nameof(NativeMethods.nth_io_writev));
        }
        finally
        {
            foreach (ref MemoryHandle pin in pins[..count])
            {
                pin.Dispose();
            }
        }
    }

    /// <summary>On the loop's thread the loop cannot release the handle before the call has returned; uses of the handle by other threads are
    /// counted. The gate is read after the count: so either a disposal that has returned finds the write started, or the write throws.</summary>
    private WriteHold BeforeWrite()
    {
        ObjectDisposedException.ThrowIf(_gate.IsClosed, this);
        if (IsCalledHere)
        {
            return default;
        }

        var loop = new LoopHold(Loop);
        if (loop.IsInLoop)
        {
            return new WriteHold(loop);
        }

        bool isUsed = _uses.TryEnter();
        Chaos.Point("EventLoopRegistration.BeforeWrite, entered");
        if (!isUsed || _gate.IsClosed)
        {
            if (isUsed)
            {
                LeaveHandle();
            }

            throw new ObjectDisposedException(GetType().FullName);
        }

        return new WriteHold(this);
    }

    /// <summary>Room for the pins of one gathered call, on the stack.</summary>
    [InlineArray(LoopTuning.GatheredSegments)]
    private struct PinRoom
    {
        private MemoryHandle _first;
    }
}
