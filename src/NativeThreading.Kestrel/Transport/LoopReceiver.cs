using System.Diagnostics.CodeAnalysis;
using System.IO.Pipelines;
using System.Net.Sockets;
using System.Runtime.CompilerServices;

namespace NativeThreading.Kestrel.Transport;

/// <summary>
/// From the socket to the application's pipe. Everything happens on the loop, one turn at a time. A block is rented for each read, and
/// goes back where there was nothing to read: an idle connection has none.
/// </summary>
internal sealed class LoopReceiver
{
    private const int ReadsInTurn = 4; // 16 KiB. An application on the loop answers them, some 300 small requests, before others have their turn

    private static readonly Action<object?> s_goOn = static receiver => ((LoopReceiver)receiver!).GoOn();

    private readonly TurnGate _gate;
    private readonly LoopConnection _connection;
    private readonly PinnedBlockPool _blocks;
    private readonly PipeWriter _input;
    private Action? _onFlushed; // where the application was behind
    private ConfiguredValueTaskAwaitable<FlushResult>.ConfiguredValueTaskAwaiter _flush;
    private Exception? _error;
    private bool _isFlushing, _isPosted, _isEnding, _isEnded, _hasBegun;
    private bool _mayRead;    // an edge that no read has used up
    private int _received;
    private bool _readsToTheEnd; // a short read does not prove that the socket is empty
    private bool _peerClosed; // told by the loop; what the peer sent before may be unread

    /// <param name="connection">Whose socket is read. Of plain TCP, a read stops before the end only at an urgent byte, of which the loop tells.
    /// Others stop in more places, a Unix socket behind each descriptor that was passed: they are read until there is nothing.</param>
    /// <param name="input">Of a pipe whose blocks are those of the pool.</param>
    /// <param name="blocks">What is read into.</param>
    /// <param name="isTakenOver">Whether the loop hands over.</param>
    public LoopReceiver(LoopConnection connection, PipeWriter input, PinnedBlockPool blocks, bool isTakenOver)
    {
        (_connection, _input, _blocks, _gate) = (connection, input, blocks, new TurnGate(isTakenOver));
        _readsToTheEnd = connection.Socket.ProtocolType != ProtocolType.Tcp;
    }

    /// <summary>How often the application's pipe has got something.</summary>
    public int Received => Volatile.Read(ref _received);

    /// <param name="peerClosed">Whether the peer has ended its side.</param>
    /// <param name="isUrgent">Whether there is an urgent byte, maybe in the middle of what is to be read.</param>
    public void OnReadable(bool peerClosed, bool isUrgent)
    {
        using TurnGate.Turn turn = _gate.Enter();
        _mayRead = true;
        _peerClosed |= peerClosed;
        _readsToTheEnd |= isUrgent;
        TakeTurn();
    }

    /// <summary>The connection is closed: no more reads. Nobody reads from the socket while it is closed.</summary>
    public void Stop(Action close)
    {
        using TurnGate.Turn turn = _gate.Enter();
        try
        {
            close();
        }
        finally
        {
            End(null);
        }
    }

    public override string ToString() => "the receiver " + (
        _isEnded ? "has ended"
        : _isFlushing ? "waits for the application"
        : _isPosted ? "waits for its next turn"
        : _mayRead ? "reads"
        : "waits for the socket");

    private void TakeTurn()
    {
        if (_isFlushing || _isPosted || _isEnding)
        {
            return; // edges are remembered until the application has consumed enough
        }

        try
        {
            for (int reads = 0; _mayRead && !_isPosted; reads++)
            {
                if (reads == ReadsInTurn || _connection.IsBehind || _connection.Registration is null)
                {
                    _isPosted = true;
                    _connection.AfterPoll(s_goOn, this);
                }
                else if (!ReadOnce())
                {
                    return;
                }
            }
        }
        catch (Exception exception) when (Takeover.IsCauseOf(exception, _connection.Loop))
        {
            // This turn was posted: only on the loop may the socket be read.
            _isPosted = true;
            _connection.AfterPoll(s_goOn, this);
        }
        catch (Exception exception)
        {
            End(exception); // no memory, or the loop has gone with its registration: the end of this connection, and of no other
        }
    }

    private void GoOn()
    {
        using TurnGate.Turn turn = _gate.Enter();
        _isPosted = false;
        TakeTurn();
    }

    /// <returns>Whether there may be more to read.</returns>
    private bool ReadOnce()
    {
        using var block = new ReceivedBlock(_blocks);
        EventLoopIOResult result = _connection.Registration!.Read(block.Bytes);
        if (result.WouldBlock)
        {
            _mayRead = false;
            return false;
        }

        if (!result.IsSuccess)
        {
            End(Disconnection.OfRead(result));
            return false;
        }

        if (result.Count == 0)
        {
            Log.ConnectionReadFin(_connection.Logger, _connection.ConnectionId);
            End(null);
            return false;
        }

        if (!_hasBegun)
        {
            _hasBegun = true;
            _connection.Begins(block.Bytes[..(int)result.Count]);
        }

        // Less than asked for, of plain TCP: the socket is empty, and what comes later is a new edge. Only the end may have been told already.
        _mayRead = result.Count == PinnedBlockPool.BlockSize || _peerClosed || _readsToTheEnd;
        block.WriteTo(_input, (int)result.Count);
        _flush = BeginFlush();
        Volatile.Write(ref _received, _received + 1); // behind the flush: whoever reads this number, and then finds nothing more, has read so much
        if (_flush.IsCompleted)
        {
            return GoesOn(_flush.GetResult());
        }

        _isFlushing = true;
        Log.ConnectionPaused(_connection.Logger, _connection.ConnectionId);
        _flush.UnsafeOnCompleted(_onFlushed ??= OnFlushed);
        return false;
    }

    [SuppressMessage("Reliability", "CA2012", Justification = "There is one flush at a time, and its result is taken once.")]
    private ConfiguredValueTaskAwaitable<FlushResult>.ConfiguredValueTaskAwaiter BeginFlush() =>
        _input.FlushAsync().ConfigureAwait(false).GetAwaiter();

    private void OnFlushed()
    {
        using TurnGate.Turn turn = _gate.Enter();
        _isFlushing = false;
        try
        {
            FlushResult flushed = _flush.GetResult();
            if (!_isEnding && GoesOn(flushed))
            {
                Log.ConnectionResumed(_connection.Logger, _connection.ConnectionId);
                TakeTurn();
            }
        }
        catch (Exception exception)
        {
            End(exception); // the application ended its side with an error
        }

        if (_isEnding && !_isFlushing)
        {
            Complete();
        }
    }

    /// <summary>Nobody reads any more: neither do we.</summary>
    private bool GoesOn(FlushResult flushed)
    {
        if (flushed.IsCompleted || flushed.IsCanceled)
        {
            End(null);
        }

        return !_isEnding;
    }

    private void End(Exception? error)
    {
        if (_isEnding)
        {
            return;
        }

        _isEnding = true;
        _error = error;
        if (_isFlushing)
        {
            _input.CancelPendingFlush(); // what goes on then completes the pipe
        }
        else
        {
            Complete();
        }
    }

    private void Complete()
    {
        if (_isEnded)
        {
            return;
        }

        _isEnded = true;
        Exception? closed = _connection.CloseReason;
        _input.Complete(closed ?? _error);
        if ((closed ?? _error) is null)
        {
            _connection.ClientEnded();
        }
        else
        {
            _connection.TellClosed();
        }

        _connection.PartEnded();
        if (closed is null && _error is not null)
        {
            _connection.HasFailed(_error); // last, because a logger may throw
        }
    }
}
