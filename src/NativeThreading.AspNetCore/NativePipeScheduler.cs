using System.Collections.Concurrent;
using System.IO.Pipelines;

namespace NativeThreading.AspNetCore;

/// <summary>A queue of callbacks, and one item of the pool for each of them, which runs the oldest. The pool starts its items in order only until
/// workers have taken them: two workers that have taken one item each may start them in either order, and the newer callback of a connection could
/// overtake the older one (T130).</summary>
internal sealed class NativePipeScheduler(NativeThreadPool pool) : PipeScheduler
{
    private static readonly Action<NativePipeScheduler> s_runOldest = static pipes => pipes.RunOldest();

    private readonly ConcurrentQueue<(Action<object?> Callback, object? State)> _callbacks = new();

    public override void Schedule(Action<object?> action, object? state)
    {
        ArgumentNullException.ThrowIfNull(action);
        _callbacks.Enqueue((action, state));

        // If it were rejected, its pipe would wait indefinitely. T105: without the execution context.
        pool.UnsafeQueueContinuation(s_runOldest, this, preferLocal: false);
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
