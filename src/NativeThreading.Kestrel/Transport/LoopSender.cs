using System.Buffers;
using System.Diagnostics.CodeAnalysis;
using System.IO.Pipelines;
using System.Runtime.CompilerServices;
using Microsoft.AspNetCore.Connections;

namespace NativeThreading.Kestrel.Transport;

/// <summary>
/// From the application's pipe to the socket. One chain of steps: each runs where the application does, behind the code that has
/// flushed, or on the loop where the socket had taken no more. Not inside the flush: an answer in chunks is flushed twice, and sent
/// once. Nothing here blocks.
/// </summary>
internal sealed class LoopSender
{
    private const int BytesInTurn = 128 * 1024;

    private readonly LoopConnection _connection;
    private readonly PipeReader _output;
    private readonly Action _onRead;
    private WriteGate _gate;
    private ConfiguredValueTaskAwaitable<ReadResult>.ConfiguredValueTaskAwaiter _read;
    private long _sentInTurn; // since the loop polled, as far as it matters: an application on the loop, and this, could take turns without end
    private bool _isEnded, _finishes;
    private bool _finishesBehindRead; // the chain's: its read has all that was flushed before Finish

    public LoopSender(LoopConnection connection, PipeReader output)
    {
        (_connection, _output) = (connection, output);
        _onRead = OnRead;
    }

    /// <summary>On the loop, once.</summary>
    public void Start() => Run();

    /// <summary>On the loop: the socket takes bytes, or fails at once.</summary>
    public void OnWritable()
    {
        if (_gate.Tell())
        {
            GoOn();
        }
    }

    /// <summary>From any thread, behind the connection's close: the chain ends with its next step.</summary>
    public void Cancel() => _output.CancelPendingRead();

    /// <summary>
    /// From any thread: the chain sends what was flushed, and then closes the connection in an orderly way. Where it waits for the socket
    /// it tries again.
    /// </summary>
    public void Finish(PipeScheduler loop)
    {
        Volatile.Write(ref _finishes, true); // before the cancellation: who is woken by that sees it, in Run
        _output.CancelPendingRead();
        loop.Schedule(static sender => ((LoopSender)sender!).OnWritable(), this);
    }

    public override string ToString() => "the sender " + (
        Volatile.Read(ref _isEnded) ? "has ended"
        : _gate.IsWaiting ? "waits for the socket"
        : "sends or waits for the application");

    private void GoOn()
    {
        _sentInTurn = 0;
        Run();
    }

    private void Run()
    {
        try
        {
            do
            {
                _finishesBehindRead = Volatile.Read(ref _finishes); // before the read
                _read = BeginRead();
                if (!_read.IsCompleted)
                {
                    _read.UnsafeOnCompleted(_onRead); // behind this another thread may go on with the chain
                    return;
                }
            }
            while (Send(_read.GetResult()));
        }
        catch (Exception exception)
        {
            End(exception); // the application ended its side with an error
        }
    }

    private void OnRead()
    {
        bool goesOn = false;
        try
        {
            goesOn = Send(_read.GetResult());
        }
        catch (Exception exception)
        {
            End(exception);
        }

        if (goesOn)
        {
            Run();
        }
    }

    [SuppressMessage("Reliability", "CA2012", Justification = "The chain has one read at a time, and takes its result once.")]
    private ConfiguredValueTaskAwaitable<ReadResult>.ConfiguredValueTaskAwaiter BeginRead() =>
        _output.ReadAsync().ConfigureAwait(false).GetAwaiter();

    /// <returns>Whether the chain goes on here: not where it has ended, or where the loop goes on with it.</returns>
    private bool Send(ReadResult read)
    {
        ReadOnlySequence<byte> buffer = read.Buffer;
        if (read.IsCanceled && !_finishesBehindRead)
        {
            if (!Volatile.Read(ref _finishes))
            {
                End(null); // who cancels has closed the connection
                return false;
            }

            _output.CancelPendingRead(); // the next read must not wait. It has what was flushed between this one and Finish
        }

        while (!buffer.IsEmpty)
        {
            if (_sentInTurn >= BytesInTurn && _connection.Loop.IsInLoop)
            {
                _output.AdvanceTo(buffer.Start);
                _connection.AfterPoll(static sender => ((LoopSender)sender!).GoOn(), this);
                return false;
            }

            _gate.Prepare();
            if (!TryWrite(buffer, out EventLoopIOResult written))
            {
                return false;
            }

            if (written.WouldBlock)
            {
                _output.AdvanceTo(buffer.Start); // before the wait: behind it the loop may go on at once
                return !_gate.TryWait();
            }

            _sentInTurn += written.Count;
            buffer = buffer.Slice(written.Count);
        }

        _output.AdvanceTo(buffer.End);
        if (read.IsCompleted || _finishesBehindRead)
        {
            End(null); // only here, with nothing left to send, does an orderly end begin
            return false;
        }

        return true;
    }

    /// <summary>By the registration: a socket of .NET asks more questions. <see langword="false"/>: the chain has ended.</summary>
    private bool TryWrite(in ReadOnlySequence<byte> buffer, out EventLoopIOResult written)
    {
        written = default;
        try
        {
            written = _connection.Registration!.Write(buffer); // which is there before the chain begins
            if (written.IsSuccess || written.WouldBlock)
            {
                return true;
            }

            End(Disconnection.OfWrite(written));
        }
        catch (ObjectDisposedException)
        {
            End(Disconnection.ByThisSide()); // the loop has closed the socket meanwhile
        }

        return false;
    }

    /// <summary>The chain's last step. A second one, of a step that failed after its end, changes nothing.</summary>
    private void End(Exception? error)
    {
        if (Interlocked.Exchange(ref _isEnded, true))
        {
            return;
        }

        _connection.Close(Disconnection.Reason(error));
        _output.Complete(error is null || Disconnection.IsOfThePeer(error) ? null : error);
        _connection.PartEnded();
        if (error is ConnectionResetException)
        {
            _connection.HasFailed(error); // last, because a logger may throw
        }
    }
}
