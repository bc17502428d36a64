using System.Collections.Concurrent;
using System.IO.Pipelines;

namespace NativeThreading.AspNetCore;

/// <summary>
/// A queue of callbacks, and one item of the pool for each of them, which runs the oldest. The pool begins its own items in
/// order only up to what its workers have in hand: two that took one each may begin them in either order, and a
/// connection's newer callback could overtake its older one (T130).
/// </summary>
internal sealed class NativePipeScheduler : PipeScheduler
{
    private readonly NativeThreadPool _pool;
    private readonly ConcurrentQueue<(Action<object?> Callback, object? State)> _callbacks = new();
    private readonly Action<object?> _runOldest;

    public NativePipeScheduler(NativeThreadPool pool)
    {
        _pool = pool;
        _runOldest = _ => RunOldest();
    }

    public override void Schedule(Action<object?> action, object? state)
    {
        ArgumentNullException.ThrowIfNull(action);
        _callbacks.Enqueue((action, state));

        // As a continuation: it needs no permit of a limited queue, and is not refused by a pool that is shutting down, for
        // its pipe would wait for ever. T105: without the execution context.
        _pool.EnqueueContinuation(_runOldest);
    }

    private void RunOldest()
    {
        // There are as many items as callbacks, so each finds one.
        if (_callbacks.TryDequeue(out (Action<object?> Callback, object? State) oldest))
        {
            oldest.Callback(oldest.State);
        }
    }
}
