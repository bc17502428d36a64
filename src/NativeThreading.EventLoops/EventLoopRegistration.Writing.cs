using System.Buffers;
using System.Net.Sockets;
using System.Runtime.CompilerServices;
using NativeThreading.EventLoops.Turns;
using NativeThreading.Platform;

namespace NativeThreading.EventLoops;

// Calls on the watched descriptor that any thread may make. They never block if it is non-blocking.
public sealed unsafe partial class EventLoopRegistration
{
    /// <summary>Writes as much as the descriptor takes. From any thread, but by one at a time: bytes of two writers would mix.</summary>
    /// <param name="buffer">What to write.</param>
    /// <returns>What happened, perhaps fewer bytes than all. A failure of the connection is no exception.</returns>
    /// <remarks>
    /// <para>Where the descriptor takes no more (<see cref="EventLoopIOResult.WouldBlock"/>, or fewer bytes than all), add
    /// <see cref="EventLoopInterest.Write"/> to <see cref="Interest"/>, and continue when the handler is called. One thread at a time changes
    /// the interest.</para>
    /// <para>A disposal, or the end of the loop, at the same moment either refuses the call or finds it started. A call that has started writes
    /// to this descriptor and no other: the handle is let go behind it, and <see cref="DisposeAsync"/> completes behind it.</para>
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

    /// <summary>Writes several buffers in one system call, as much as the descriptor takes. From any thread, but by one at a time.</summary>
    /// <param name="buffers">What to write. Of very many segments only the first 64 are written.</param>
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

    /// <summary>Tells the peer that nothing more will be written. Reading remains possible. May be called from any thread, after its last
    /// write. A write at the same moment comes before the call, or fails as it does on a closed connection.</summary>
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
                    pins[count] = segment.Pin(); // the caller's own kind of memory may refuse to be pinned
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

    /// <summary>On the loop's thread the loop cannot let go of the handle before the call has returned; other threads have their use of it
    /// counted. The gate is read behind that: so a disposal that has returned finds the write started, or the write is refused.</summary>
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
