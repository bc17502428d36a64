using System.Buffers;
using System.IO.Pipelines;
using NativeThreading.Kestrel.Adaptive;

namespace NativeThreading.Kestrel.Transport;

/// <summary>
/// The application's end of what is received. Kestrel begins each connection on the runtime's pool, and would go on there with a request that
/// has arrived by then. So the first read completes where the application runs, on a pool or a loop, even where its result is there already.
/// All later ones do so by themselves: what the application awaits comes back. What one client has sent takes turns with others
/// (<see cref="ReadTurn"/>), and who reads the last of it is told that the client has ended.
/// </summary>
/// <param name="reader">Of the pipe.</param>
/// <param name="application">Where the application runs.</param>
/// <param name="connection">Whose input it is.</param>
/// <param name="enters">Whether the application runs elsewhere than where Kestrel begins.</param>
/// <param name="next">Where requests begin, if that is learned.</param>
internal sealed class EnteringReader(
    PipeReader reader, PipeScheduler application, LoopConnection? connection = null, bool enters = true, NextRequest? next = null) : PipeReader
{
    private const int Nothing = -1, Everything = -2;

    private bool _hasEntered = !enters; // only for the one reader
    private int _looks = 8; // reads within which a handshake is over
    private int _reads, _readUpTo; // the second one: all that was received up to then, or a constant
    private ReadTurn? _turn; // of clients that send much at once

    /// <inheritdoc cref="LoopConnection.IsBehind"/>
    public bool IsBehind => Volatile.Read(ref _turn) is { IsOver: true };

    /// <inheritdoc cref="LoopConnection.Reads"/>
    public int Reads => Volatile.Read(ref _reads);

    /// <summary>Whether nothing is left to read. Exact once nothing more is received.</summary>
    public bool HasReadAll => Volatile.Read(ref _readUpTo) is var read && (read == Everything || read == connection?.Received);

    public override ValueTask<ReadResult> ReadAsync(CancellationToken cancellationToken = default)
    {
        if (_looks > 0)
        {
            _looks--;
            connection?.LookForAgreement();
        }

        next?.Expect(connection!);
        return Enter(reader.ReadAsync(cancellationToken));
    }

    /// <summary>Before the first read nothing is there yet: the caller would go on where it is.</summary>
    public override bool TryRead(out ReadResult result)
    {
        result = default;
        return _hasEntered && reader.TryRead(out result);
    }

    public override void AdvanceTo(SequencePosition consumed) => AdvanceTo(consumed, consumed);

    public override void AdvanceTo(SequencePosition consumed, SequencePosition examined)
    {
        int received = connection?.Received ?? 0; // before the look at the position: what comes later has a higher number
        bool isLast = IsLast(examined);
        reader.AdvanceTo(consumed, examined);
        _reads++;
        Volatile.Write(ref _readUpTo, isLast ? received : Nothing);
        connection?.HasRead();
    }

    public override void CancelPendingRead() => reader.CancelPendingRead();

    public override void Complete(Exception? exception = null)
    {
        reader.Complete(exception);
        Volatile.Write(ref _readUpTo, Everything);
        connection?.HasRead();
    }

    protected override ValueTask<ReadResult> ReadAtLeastAsyncCore(int minimumSize, CancellationToken cancellationToken)
    {
        next?.Expect(connection!);
        return Enter(reader.ReadAtLeastAsync(minimumSize, cancellationToken));
    }

    /// <summary>Whether the pipe has nothing behind that position.</summary>
    private static bool IsLast(SequencePosition position) =>
        position.GetObject() is not ReadOnlySequenceSegment<byte> block || (block.Next is null && block.Memory.Length == position.GetInteger());

    private ValueTask<ReadResult> Enter(ValueTask<ReadResult> read)
    {
        if (_hasEntered)
        {
            return connection is { SharesLoop: true } ? Bound(read, connection) : read;
        }

        _hasEntered = true;
        return new ValueTask<ReadResult>(new Entry(read, application), 0);
    }

    private ValueTask<ReadResult> Bound(ValueTask<ReadResult> read, LoopConnection connection)
    {
        if (!read.IsCompleted)
        {
            _turn?.Begin();
            return read;
        }

        ReadTurn turn = _turn ??= new ReadTurn(connection);
        return turn.TryEnd() ? new ValueTask<ReadResult>(new Entry(read, turn), 0)
            : HasLeft(connection.Loop) ? new ValueTask<ReadResult>(new Entry(read, application), 0) // a request begins where it is to
            : read;
    }

    /// <summary>Whether a request has ended on a thread of the runtime's pool, or on one that the loop was taken from because a handler blocked.</summary>
    private static bool HasLeft(EventLoop loop) =>
        !loop.IsInLoop && (EndOfRequest.IsHere || (!Thread.CurrentThread.IsThreadPoolThread
            && (SynchronizationContext.Current is EndOfRequest || SynchronizationContext.Current == loop.SynchronizationContext)));
}
