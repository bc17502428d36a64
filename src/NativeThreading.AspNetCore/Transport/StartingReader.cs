using System.IO.Pipelines;

namespace NativeThreading.AspNetCore.Transport;

/// <summary>
/// Kestrel begins each connection on the runtime's pool, and goes on there with a request that has arrived by then. So the loop
/// begins to read when the application first waits, and everything that follows runs where the pipe's scheduler says.
/// </summary>
internal sealed class StartingReader(PipeReader reader, Action start) : PipeReader
{
    private Action? _start = start; // only for the one reader, and given up by its first call

    public override ValueTask<ReadResult> ReadAsync(CancellationToken cancellationToken = default)
    {
        ValueTask<ReadResult> read = reader.ReadAsync(cancellationToken);
        Start();
        return read;
    }

    public override bool TryRead(out ReadResult result)
    {
        bool isRead = reader.TryRead(out result);
        Start();
        return isRead;
    }

    public override void AdvanceTo(SequencePosition consumed) => reader.AdvanceTo(consumed);

    public override void AdvanceTo(SequencePosition consumed, SequencePosition examined) => reader.AdvanceTo(consumed, examined);

    public override void CancelPendingRead() => reader.CancelPendingRead();

    public override void Complete(Exception? exception = null) => reader.Complete(exception);

    protected override ValueTask<ReadResult> ReadAtLeastAsyncCore(int minimumSize, CancellationToken cancellationToken)
    {
        ValueTask<ReadResult> read = reader.ReadAtLeastAsync(minimumSize, cancellationToken);
        Start();
        return read;
    }

    private void Start()
    {
        if (_start is { } start)
        {
            _start = null;
            start();
        }
    }
}
