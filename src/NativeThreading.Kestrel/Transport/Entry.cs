using System.IO.Pipelines;
using System.Runtime.CompilerServices;
using System.Threading.Tasks.Sources;

namespace NativeThreading.Kestrel.Transport;

/// <summary>
/// A read that is never complete at once: who awaits it goes on on a scheduler. A task would not do. Where its awaiter has no
/// context, and the thread that completes it has one, the awaiter goes on on the runtime's pool.
/// </summary>
/// <param name="read">Of a pipe that completes its reads on the same scheduler.</param>
/// <param name="scheduler">Where the one that awaits goes on.</param>
internal sealed class Entry(ValueTask<ReadResult> read, PipeScheduler scheduler) : IValueTaskSource<ReadResult>
{
    private readonly ConfiguredValueTaskAwaitable<ReadResult>.ConfiguredValueTaskAwaiter _read = read.ConfigureAwait(false).GetAwaiter();
    private Action<object?>? _continuation;
    private object? _state;
    private ExecutionContext? _context;
    private bool _isTold;

    public ReadResult GetResult(short token) => _read.GetResult();

    public ValueTaskSourceStatus GetStatus(short token) =>
        Volatile.Read(ref _isTold) ? ValueTaskSourceStatus.Succeeded : ValueTaskSourceStatus.Pending; // or GetResult throws

    public void OnCompleted(Action<object?> continuation, object? state, short token, ValueTaskSourceOnCompletedFlags flags)
    {
        (_continuation, _state) = (continuation, state);
        if ((flags & ValueTaskSourceOnCompletedFlags.FlowExecutionContext) != 0)
        {
            _context = ExecutionContext.Capture();
        }

        if (_read.IsCompleted)
        {
            scheduler.Schedule(static entry => ((Entry)entry!).Tell(), this);
        }
        else
        {
            _read.UnsafeOnCompleted(Tell);
        }
    }

    private void Tell()
    {
        Volatile.Write(ref _isTold, true);
        if (_context is null)
        {
            _continuation!(_state);
        }
        else
        {
            ExecutionContext.Run(_context, static entry => ((Entry)entry!)._continuation!(((Entry)entry)._state), this);
        }
    }
}
