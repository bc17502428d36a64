using System.Collections.Concurrent;
using System.IO.Pipelines;

namespace NativeThreading.AspNetCore;

/// <summary>
/// A queue of callbacks, and one item of the pool for each of them, which runs the oldest. The pool begins its own items in
/// order only up to the concurrency of its workers: a worker that took a batch runs the end of it while another runs the
/// beginning, and a connection's newer callback could overtake its older one (T130).
/// </summary>
internal sealed class NativePipeScheduler(NativeThreadPool pool) : PipeScheduler
{
    private static readonly Action<NativePipeScheduler> s_runOldest = static scheduler => scheduler.RunOldest();

    private readonly ConcurrentQueue<(Action<object?> Callback, object? State)> _callbacks = new();

    public override void Schedule(Action<object?> action, object? state)
    {
        ArgumentNullException.ThrowIfNull(action);
        _callbacks.Enqueue((action, state));
        try
        {
            pool.UnsafeQueueUserWorkItem(s_runOldest, this, preferLocal: false); // T105: no execution context
        }
        catch (Exception exception) when (exception is ObjectDisposedException or OutOfMemoryException or ThreadStartException)
        {
            // The pipe would wait for ever. Its callback goes on elsewhere, still in its turn.
            System.Threading.ThreadPool.UnsafeQueueUserWorkItem(s_runOldest, this, preferLocal: false);
        }
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
