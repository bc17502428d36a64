using System.IO.Pipelines;
using System.Runtime.CompilerServices;
using Microsoft.AspNetCore.Connections;

namespace NativeThreading.AspNetCore.Transport;

/// <summary>
/// From the socket to the application's pipe. Everything happens on the loop. A block is rented when there is something to read:
/// an idle connection has none.
/// </summary>
internal sealed class LoopReceiver
{
    private const int ReadsInTurn = 16, LeastRoom = PinnedBlockPool.BlockSize / 2;

    private readonly LoopConnection _connection;
    private readonly PipeWriter _input;
    private readonly Action _onFlushed;
    private ConfiguredValueTaskAwaitable<FlushResult>.ConfiguredValueTaskAwaiter _flush;
    private Exception? _error;
    private bool _isStarted, _isFlushing, _isPosted, _isEnding, _isEnded;
    private bool _mayRead;    // an edge that no read has used up
    private bool _peerClosed; // told by the loop; what the peer sent before may be unread

    public LoopReceiver(LoopConnection connection, PipeWriter input)
    {
        (_connection, _input) = (connection, input);
        _onFlushed = OnFlushed;
    }

    public void Start()
    {
        _isStarted = true;
        TakeTurn();
    }

    public void OnReadable(bool peerClosed)
    {
        _mayRead = true;
        _peerClosed |= peerClosed;
        TakeTurn();
    }

    /// <summary>The connection is closed: no more reads.</summary>
    public void Stop() => End(null);

    private void TakeTurn()
    {
        if (!_isStarted || _isFlushing || _isPosted || _isEnding)
        {
            return;
        }

        for (int reads = 0; _mayRead; reads++)
        {
            if (reads == ReadsInTurn)
            {
                _isPosted = true;
                _connection.AfterPoll(static receiver => ((LoopReceiver)receiver!).GoOn(), this);
                return;
            }

            if (!ReadOnce())
            {
                return;
            }
        }
    }

    private void GoOn()
    {
        _isPosted = false;
        TakeTurn();
    }

    private bool ReadOnce()
    {
        Memory<byte> room = _input.GetMemory(LeastRoom);
        EventLoopIOResult result = _connection.Registration!.Read(room.Span);
        if (result.WouldBlock)
        {
            _mayRead = false;
            return false;
        }

        if (!result.IsSuccess || result.Count == 0)
        {
            End(result.IsSuccess ? null : Disconnection.Of(result));
            return false;
        }

        // Less than asked for: the socket is empty, and what comes later is a new edge. Only the end may have been told already.
        _mayRead = result.Count == room.Length || _peerClosed;
        _input.Advance((int)result.Count);
        _flush = _input.FlushAsync().ConfigureAwait(false).GetAwaiter();
        if (_flush.IsCompleted)
        {
            return GoesOn(_flush.GetResult());
        }

        _isFlushing = true; // back-pressure: edges are remembered until the application has consumed enough
        _flush.UnsafeOnCompleted(_onFlushed);
        return false;
    }

    private void OnFlushed()
    {
        _isFlushing = false;
        FlushResult flushed = _flush.GetResult();
        if (_isEnding)
        {
            Complete();
        }
        else if (GoesOn(flushed))
        {
            TakeTurn();
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
            _input.CancelPendingFlush();
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
        _input.Complete(_connection.CloseReason ?? _error);
        if (_error is ConnectionResetException reset)
        {
            _connection.WasReset(reset);
        }

        _connection.TellClosed();
        _connection.PartEnded();
    }
}
