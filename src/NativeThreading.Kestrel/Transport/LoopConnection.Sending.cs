using System.Buffers;
using System.Diagnostics.CodeAnalysis;
using System.IO.Pipelines;
using System.Runtime.CompilerServices;
using Microsoft.AspNetCore.Connections;

namespace NativeThreading.Kestrel.Transport;

// From the application's pipe to the socket. The sender is a chain of steps: each runs where the application does, after the code that has flushed, or on the
// loop after the socket had taken no more. Not inside the flush: a response in chunks is flushed twice, and sent once. No step blocks.
internal sealed partial class LoopConnection
{
    private const int BytesInTurn = 128 * 1024;

    private readonly PipeReader _output;
    private readonly Action _onSendable;
    private WriteGate _gate;
    private ConfiguredValueTaskAwaitable<ReadResult>.ConfiguredValueTaskAwaiter _sendable;
    private long _sentInTurn; // approximately, since the loop polled: an application on the loop and the sender could take turns without end
    private bool _finishes; // FinishSending was called
    private bool _finishesAfterRead; // only the sender's: its read has all bytes that were flushed before FinishSending
    private bool _isOutputComplete;

    /// <summary>Called on the loop: the socket takes bytes, or fails at once.</summary>
    private void OnWritable()
    {
        if (_gate.Signal())
        {
            ContinueSending();
        }
    }

    /// <summary>From any thread: the sender sends the flushed bytes, and then closes the connection in an orderly way. If it waits for the socket, it
    /// tries again.</summary>
    private void FinishSending()
    {
        Volatile.Write(ref _finishes, true); // before the cancellation, after which Send sees it
        _output.CancelPendingRead();
        _loop.Schedule(static connection => ((LoopConnection)connection!).OnWritable(), this);
    }

    private void ContinueSending()
    {
        _sentInTurn = 0;
        Send(hasRead: false);
    }

    /// <param name="hasRead">Whether the read of the last step has completed.</param>
    private void Send(bool hasRead)
    {
        try
        {
            do
            {
                if (!hasRead)
                {
                    _finishesAfterRead = Volatile.Read(ref _finishes); // before the read
                    _sendable = BeginRead();
                    if (!_sendable.IsCompleted)
                    {
                        _sendable.UnsafeOnCompleted(_onSendable); // from here on another thread may continue the chain
                        return;
                    }
                }

                hasRead = false;
            }
            while (SendOnce(_sendable.GetResult()));
        }
        catch (ObjectDisposedException)
        {
            EndSending(SocketFailure.ByThisSide()); // the loop has closed the socket meanwhile
        }
        catch (Exception exception)
        {
            EndSending(exception); // the application ended its side with an error
        }
    }

    [SuppressMessage("Reliability", "CA2012", Justification = "The chain has one read at a time, and takes its result once.")]
    private ConfiguredValueTaskAwaitable<ReadResult>.ConfiguredValueTaskAwaiter BeginRead() =>
        _output.ReadAsync().ConfigureAwait(false).GetAwaiter();

    /// <returns>Whether the chain continues here: false if it has ended, or if the loop continues it.</returns>
    private bool SendOnce(ReadResult read)
    {
        ReadOnlySequence<byte> buffer = read.Buffer;
        if (read.IsCanceled && !_finishesAfterRead)
        {
            if (!Volatile.Read(ref _finishes))
            {
                EndSending(null); // the connection is closed
                return false;
            }

            _output.CancelPendingRead(); // the next read must not wait. It has the bytes that were flushed between this read and FinishSending
        }

        while (!buffer.IsEmpty)
        {
            if (_sentInTurn >= BytesInTurn && _loop.Loop.IsInLoop)
            {
                _output.AdvanceTo(buffer.Start);
                _loop.ScheduleAfterPoll(static connection => ((LoopConnection)connection!).ContinueSending(), this);
                return false;
            }

            _gate.Prepare();
            EventLoopIOResult written = Registration!.Write(buffer); // a .NET socket makes more checks
            if (written.WouldBlock)
            {
                _output.AdvanceTo(buffer.Start); // before the wait, after which the loop may continue at once
                return !_gate.TryWait();
            }

            if (!written.IsSuccess)
            {
                EndSending(SocketFailure.OfWrite(written));
                return false;
            }

            _sentInTurn += written.Count;
            buffer = buffer.Slice(written.Count);
        }

        _output.AdvanceTo(buffer.End);
        if (read.IsCompleted || _finishesAfterRead)
        {
            EndSending(null); // an orderly end starts only here, with nothing left to send
            return false;
        }

        return true;
    }

    /// <summary>The chain's last step. A second call, from a step that failed after the end, changes nothing.</summary>
    private void EndSending(Exception? error)
    {
        if (Interlocked.Exchange(ref _isOutputComplete, true))
        {
            return;
        }

        Close(SocketFailure.Reason(error));
        _output.Complete(error is null || SocketFailure.IsOfThePeer(error) ? null : error);
        PartEnded();
        if (error is ConnectionResetException)
        {
            Log.ConnectionReset(Logger, ConnectionId, error); // last, because a logger may throw
        }
    }
}

/// <summary>Whether a socket may take bytes again. The sender asks on any thread, and the loop signals. The kernel reports an edge once: an edge
/// between the sender's failed attempt and its wait is kept here.</summary>
internal struct WriteGate
{
    private const int Quiet = 0, Signalled = 1, Waiting = 2;

    private int _state;

    public readonly bool IsWaiting => Volatile.Read(in _state) == Waiting;

    /// <summary>Called before an attempt. A full fence: if this write became visible after the attempt, it would overwrite a signal of the loop.</summary>
    public void Prepare() => Interlocked.Exchange(ref _state, Quiet);

    /// <summary>Called after an attempt that would have blocked. Pairs with <see cref="Signal"/>.</summary>
    /// <returns>Whether the loop will resume the sender; otherwise the sender tries again itself.</returns>
    public bool TryWait() => Interlocked.CompareExchange(ref _state, Waiting, Quiet) == Quiet;

    /// <summary>Called on the loop: there was an edge, or the connection has ended.</summary>
    /// <returns>Whether the sender waits, so that the caller must resume it.</returns>
    public bool Signal() => Interlocked.Exchange(ref _state, Signalled) == Waiting;
}
