using System.IO.Pipelines;

namespace NativeThreading.AspNetCore.Transport;

/// <summary>
/// Kestrel begins each connection on the runtime's pool, and would go on there with a request that has arrived by then. So the
/// first read completes where the application runs, on a pool or a loop, even where its result is there already. All later ones do so
/// by themselves: what the application awaits comes back.
/// </summary>
internal sealed class EnteringReader(PipeReader reader, PipeScheduler application, LoopConnection? connection = null) : PipeReader
{
    private bool _hasEntered; // only for the one reader
    private int _looks = 8; // reads within which a handshake is over

    public override ValueTask<ReadResult> ReadAsync(CancellationToken cancellationToken = default)
    {
        if (_looks > 0)
        {
            _looks--;
            connection?.LookForAgreement();
        }

        return Enter(reader.ReadAsync(cancellationToken));
    }

    /// <summary>Before the first read nothing is there yet: the caller would go on where it is.</summary>
    public override bool TryRead(out ReadResult result)
    {
        result = default;
        return _hasEntered && reader.TryRead(out result);
    }

    public override void AdvanceTo(SequencePosition consumed) => reader.AdvanceTo(consumed);

    public override void AdvanceTo(SequencePosition consumed, SequencePosition examined) => reader.AdvanceTo(consumed, examined);

    public override void CancelPendingRead() => reader.CancelPendingRead();

    public override void Complete(Exception? exception = null) => reader.Complete(exception);

    protected override ValueTask<ReadResult> ReadAtLeastAsyncCore(int minimumSize, CancellationToken cancellationToken) =>
        Enter(reader.ReadAtLeastAsync(minimumSize, cancellationToken));

    private ValueTask<ReadResult> Enter(ValueTask<ReadResult> read)
    {
        if (_hasEntered)
        {
            return read;
        }

        _hasEntered = true;
        return new ValueTask<ReadResult>(new Entry(read, application), 0);
    }
}
