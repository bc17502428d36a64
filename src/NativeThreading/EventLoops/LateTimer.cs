namespace NativeThreading.EventLoops;

/// <summary>
/// A timer for a loop that takes none any more. Refusing it is no way out: code that was given a TimeProvider does not
/// expect CreateTimer to throw (the finalizer of a PeriodicTimer whose constructor failed so ends the process), and
/// whoever awaits a delay would wait for ever. So the runtime's timer tells the time, and the callback comes as a
/// continuation: on the loop if that still drains, else one at a time on the runtime's pool, counted.
/// </summary>
internal sealed class LateTimer : ITimer
{
    private static readonly ContextCallback s_call = static timer => ((LateTimer)timer!).Call();

    private readonly EventLoop _loop;
    private readonly TimerCallback _callback;
    private readonly object? _state;
    private readonly ExecutionContext? _context = ExecutionContext.Capture();
    private readonly ITimer _timer;
    private volatile bool _isDisposed;

    public LateTimer(EventLoop loop, TimerCallback callback, object? state, TimeSpan dueTime, TimeSpan period)
    {
        _loop = loop;
        _callback = callback;
        _state = state;

        // Armed only when all fields are set.
        _timer = TimeProvider.System.CreateTimer(
            static timer => ((LateTimer)timer!).Post(), this, Timeout.InfiniteTimeSpan, Timeout.InfiniteTimeSpan);
        _timer.Change(dueTime, period);
    }

    public bool Change(TimeSpan dueTime, TimeSpan period) => _timer.Change(dueTime, period) && !_isDisposed;

    public void Dispose()
    {
        _isDisposed = true;
        _timer.Dispose();
    }

    public async ValueTask DisposeAsync()
    {
        _isDisposed = true;
        await _timer.DisposeAsync().ConfigureAwait(false);

        // What was posted before is over when this has its turn.
        var turn = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        _loop.PostContinuation(static turn => ((TaskCompletionSource)turn!).SetResult(), turn);
        await turn.Task.ConfigureAwait(false);
    }

    private void Post() => _loop.PostContinuation(static timer => ((LateTimer)timer!).Run(), this);

    private void Run()
    {
        if (_context is null)
        {
            Call();
        }
        else
        {
            ExecutionContext.Run(_context, s_call, this);
        }
    }

    private void Call()
    {
        if (!_isDisposed)
        {
            _callback(_state);
        }
    }
}
