using System.Buffers;
using System.Net.Sockets;
using NativeThreading.EventLoops;

namespace NativeThreading.Samples.Echo;

/// <summary>
/// One connection. It is registered once, for both directions and edge-triggered, so serving it changes no interest:
/// a message costs a read, a write, and its share of the loop's wait. Edge-triggered means that readiness is
/// reported once. So it is remembered until a call says "would block" (<c>_mayRead</c>, <c>_mayWrite</c>), and a handler
/// that stops earlier, because the peer does not take its answer or because others want their turn, forgets nothing.
/// </summary>
internal sealed class EchoConnection(EchoLoop owner, Socket socket)
{
    private const int BufferSize = 16384;

    /// <summary>Reads in one turn; then the other connections of the loop have theirs.</summary>
    private const int ReadsInTurn = 16;

    private EventLoopRegistration? _registration;
    private byte[]? _buffer;     // rented when there is something to read, returned when it is echoed
    private int _begin, _end;    // what of it is owed to the peer
    private bool _mayRead, _mayWrite;
    private bool _peerClosed;    // seen by the loop; what it sent before may be unread
    private bool _allRead;       // a read said so

    public void Open()
    {
        using LoopCounts.Exclusion excluded = owner.Counts.Excluded();
        owner.Opened(this);
        _registration = owner.Loop.Register(
            socket.SafeHandle,
            EventLoopInterest.Read | EventLoopInterest.Write | EventLoopInterest.EdgeTriggered,
            static (ready, connection) => ((EchoConnection)connection!).OnReady(ready),
            this);
    }

    private void OnReady(EventLoopReadiness ready)
    {
        // After an error or a hang-up both calls return at once and say what happened.
        const EventLoopReadiness Broken = EventLoopReadiness.Hangup | EventLoopReadiness.Error;
        _mayRead |= (ready & (EventLoopReadiness.Read | EventLoopReadiness.PeerClosed | Broken)) != 0;
        _mayWrite |= (ready & (EventLoopReadiness.Write | Broken)) != 0;
        _peerClosed |= (ready & (EventLoopReadiness.PeerClosed | Broken)) != 0;
        TakeTurn();
    }

    private void TakeTurn()
    {
        if (_registration is null)
        {
            return; // Closed since this turn was posted.
        }

        try
        {
            Echo();
        }
        catch (IOException)
        {
            Abort(); // The peer has gone.
        }
        catch
        {
            Abort(); // A bug: no client may take the bytes that were sent so far for a whole answer.
            throw;
        }
    }

    private void Echo()
    {
        for (int reads = 0; TryFlush(); reads++)
        {
            if (_allRead)
            {
                // Half-close: the peer has said all it had to say, and now so have we.
                _registration!.ShutdownWrite();
                Close();
                return;
            }

            if (!_mayRead)
            {
                return;
            }

            if (reads == ReadsInTurn)
            {
                owner.Loop.UnsafePostAfterPoll(static connection => ((EchoConnection)connection!).TakeTurn(), this);
                return;
            }

            Read();
        }
    }

    private void Read()
    {
        _buffer ??= ArrayPool<byte>.Shared.Rent(BufferSize);
        EventLoopIOResult read = _registration!.Read(_buffer);
        read.ThrowIfFailed();
        int count = (int)read.Count;
        if (read.WouldBlock)
        {
            _mayRead = false;
            ReturnBuffer();
        }
        else if (count == 0)
        {
            _allRead = true;
            ReturnBuffer();
        }
        else
        {
            // Less than asked for: the socket is empty, and the call that would confirm it is saved. A later change is
            // a new edge; only the end of the stream may have been told already.
            _mayRead = count == _buffer.Length || _peerClosed;
            (_begin, _end) = (0, count);
            owner.Counts.CountMessage(count);
        }
    }

    /// <summary>Whether nothing is owed. Otherwise the peer takes no more for now: nothing is read meanwhile, so that it
    /// feels the pressure, and the next edge continues the work.</summary>
    private bool TryFlush()
    {
        while (_begin < _end)
        {
            EventLoopIOResult written = _mayWrite ? _registration!.Write(_buffer.AsSpan(_begin, _end - _begin)) : default;
            written.ThrowIfFailed();
            if (!_mayWrite || written.WouldBlock)
            {
                _mayWrite = false;
                return false;
            }

            _begin += (int)written.Count;
        }

        if (!_mayRead)
        {
            ReturnBuffer();
        }

        return true;
    }

    private void ReturnBuffer()
    {
        if (_buffer is byte[] buffer)
        {
            _buffer = null;
            ArrayPool<byte>.Shared.Return(buffer);
        }
    }

    /// <summary>Whatever was written still arrives.</summary>
    private void Close()
    {
        using LoopCounts.Exclusion excluded = owner.Counts.Excluded();
        Deregister();
        socket.Dispose();
    }

    /// <summary>The peer sees a reset, which it cannot take for the end of an answer. Harmless when closed.</summary>
    public void Abort()
    {
        using LoopCounts.Exclusion excluded = owner.Counts.Excluded();
        Deregister();
        socket.Close(0);
    }

    /// <summary>First of all: a descriptor that is closed while it is registered may come back as another connection's.</summary>
    private void Deregister()
    {
        _registration?.Dispose();
        _registration = null;
        ReturnBuffer();
        owner.Closed(this);
    }
}
