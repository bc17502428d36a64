using System.Buffers;
using System.Diagnostics.CodeAnalysis;
using System.IO.Pipelines;
using System.Runtime.CompilerServices;
using Microsoft.AspNetCore.Connections;

namespace NativeThreading.Kestrel.Transport;

// From the socket to the application's pipe. Everything happens on the loop, one turn at a time. The bytes are read onto the stack and copied, so that the
// pipe rents a block only for bytes that are there: an idle connection has none.
internal sealed partial class LoopConnection
{
    private const int ReadsInTurn = 4; // 16 KiB. An application on the loop answers some 300 small requests before other connections have their turn

    private static readonly Action<object?> s_continueReceiving = static connection => ((LoopConnection)connection!).ContinueReceiving();

    private readonly PipeWriter _input;
    private readonly Lock _turns = new(); // a loop may mistake a thread that waits for a moment for a blocked one, and continue on another thread
    private Action? _onFlushed; // if the application was late
    private ConfiguredValueTaskAwaitable<FlushResult>.ConfiguredValueTaskAwaiter _flush;
    private Exception? _receiveError;
    private int _received; // how often the pipe has got bytes
    private bool _isFlushing, _isPosted, _isReceivingEnded, _hasBegun;
    private bool _mayRead; // an edge that no read has used up
    private bool _peerClosed; // reported by the loop; the bytes that the peer sent before may be unread

    // A short read does not prove that the socket is empty. On TCP it does, unless there is an urgent byte, which the loop reports. A Unix socket also
    // stops after each passed descriptor.
    private bool _readsToTheEnd;

    private void OnReadable(bool peerClosed, bool isUrgent)
    {
        lock (_turns)
        {
            _mayRead = true;
            _peerClosed |= peerClosed;
            _readsToTheEnd |= isUrgent;
            ReceiveLocked();
        }
    }

    private void ContinueReceiving()
    {
        lock (_turns)
        {
            _isPosted = false;
            ReceiveLocked();
        }
    }

    private void ReceiveLocked()
    {
        if (_isFlushing || _isPosted || _isReceivingEnded)
        {
            return; // edges are kept until the application has consumed enough
        }

        try
        {
            for (int reads = 0; _mayRead && !_isPosted; reads++)
            {
                if (reads == ReadsInTurn || _reader.WaitsForPoll || Registration is null)
                {
                    PostLocked();
                }
                else if (!ReadLocked())
                {
                    return;
                }
            }
        }
        catch (Exception exception) when (_loop.WasTakenOver(exception))
        {
            PostLocked(); // only the loop may read from the socket
        }
        catch (Exception exception)
        {
            EndReceivingLocked(exception); // no memory, or the loop has ended with its registrations: the end of this connection only
        }
    }

    private void PostLocked()
    {
        _isPosted = true;
        _loop.ScheduleAfterPoll(s_continueReceiving, this);
    }

    /// <returns>Whether there may be more to read.</returns>
    [SkipLocalsInit]
    private bool ReadLocked()
    {
        Span<byte> buffer = stackalloc byte[PinnedBlockPool.BlockSize];
        EventLoopIOResult result = Registration!.Read(buffer);
        if (result.Count == 0)
        {
            if (result.WouldBlock)
            {
                _mayRead = false;
            }
            else if (result.IsSuccess)
            {
                Log.ConnectionReadFin(Logger, ConnectionId);
                EndReceivingLocked(null);
            }
            else
            {
                EndReceivingLocked(SocketFailure.OfRead(result));
            }

            return false;
        }

        Span<byte> bytes = buffer[..(int)result.Count];
        if (!_hasBegun)
        {
            _hasBegun = true;
            (_application as ConnectionScheduler)?.Begin(bytes); // before the application can see them
        }

        // On TCP a short read has emptied the socket, and later bytes are a new edge. But the end may have been reported already.
        _mayRead = bytes.Length == buffer.Length || _peerClosed || _readsToTheEnd;
        _input.Write(bytes);
        _flush = BeginFlush();
        Volatile.Write(ref _received, _received + 1); // after the flush: a reader that sees this number and finds no more bytes has read them all
        if (_flush.IsCompleted)
        {
            return ContinuesLocked(_flush.GetResult());
        }

        _isFlushing = true;
        Log.ConnectionPaused(Logger, ConnectionId);
        _flush.UnsafeOnCompleted(_onFlushed ??= OnFlushed);
        return false;
    }

    [SuppressMessage("Reliability", "CA2012", Justification = "There is one flush at a time, and its result is taken once.")]
    private ConfiguredValueTaskAwaitable<FlushResult>.ConfiguredValueTaskAwaiter BeginFlush() =>
        _input.FlushAsync().ConfigureAwait(false).GetAwaiter();

    private void OnFlushed()
    {
        lock (_turns)
        {
            _isFlushing = false;
            if (_isReceivingEnded)
            {
                CompleteInputLocked();
                return;
            }

            try
            {
                if (ContinuesLocked(_flush.GetResult()))
                {
                    Log.ConnectionResumed(Logger, ConnectionId);
                    ReceiveLocked();
                }
            }
            catch (Exception exception)
            {
                EndReceivingLocked(exception); // the application ended its side with an error
            }
        }
    }

    /// <summary>If the application does not read any more, the loop does not either.</summary>
    private bool ContinuesLocked(FlushResult flushed)
    {
        if (flushed.IsCompleted || flushed.IsCanceled)
        {
            EndReceivingLocked(null);
        }

        return !_isReceivingEnded;
    }

    private void EndReceivingLocked(Exception? error)
    {
        if (_isReceivingEnded)
        {
            return;
        }

        _isReceivingEnded = true;
        _receiveError = error;
        if (_isFlushing)
        {
            _input.CancelPendingFlush(); // OnFlushed then completes the pipe
        }
        else
        {
            CompleteInputLocked();
        }
    }

    private void CompleteInputLocked()
    {
        Exception? closed = Volatile.Read(ref _closeReason), reason = closed ?? _receiveError;
        _input.Complete(reason);
        if (reason is null)
        {
            ClientEnded();
        }
        else
        {
            TellClosed();
        }

        PartEnded();
        if (closed is not null || _receiveError is null)
        {
            return;
        }

        if (_receiveError is ConnectionResetException) // last, because a logger may throw
        {
            Log.ConnectionReset(Logger, ConnectionId, _receiveError);
        }
        else
        {
            Log.ConnectionFailed(Logger, ConnectionId, _receiveError);
        }
    }
}
