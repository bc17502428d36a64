using System.IO.Pipelines;
using System.Threading.Tasks.Sources;

namespace NativeThreading.AspNetCore.Transport;

/// <summary>
/// A read that has its result, and says so on a scheduler. A task would not do: where its awaiter has no context, and the thread
/// that completes it has one, the awaiter goes on on the runtime's pool.
/// </summary>
/// <param name="read">Has completed.</param>
/// <param name="scheduler">Where the one that awaits goes on.</param>
internal sealed class Entry(Task<ReadResult> read, PipeScheduler scheduler) : IValueTaskSource<ReadResult>
{
    private Action<object?>? _continuation;
    private object? _state;
    private ExecutionContext? _context;
    private bool _isTold;

    public ReadResult GetResult(short token) => read.GetAwaiter().GetResult();

    public ValueTaskSourceStatus GetStatus(short token) => !Volatile.Read(ref _isTold) ? ValueTaskSourceStatus.Pending
        : read.IsCompletedSuccessfully ? ValueTaskSourceStatus.Succeeded
        : read.IsCanceled ? ValueTaskSourceStatus.Canceled
        : ValueTaskSourceStatus.Faulted;

    public void OnCompleted(Action<object?> continuation, object? state, short token, ValueTaskSourceOnCompletedFlags flags)
    {
        (_continuation, _state) = (continuation, state);
        if ((flags & ValueTaskSourceOnCompletedFlags.FlowExecutionContext) != 0)
        {
            _context = ExecutionContext.Capture();
        }

        scheduler.Schedule(static entry => ((Entry)entry!).Tell(), this);
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
