using NativeThreading.Platform;
using NativeThreading.Queues;

namespace NativeThreading.EventLoops.Turns;

/// <summary>Callbacks that wait until the loop has polled once more. The loop's thread adds them and takes them, in order. The lock
/// is for a stop by token, which takes the remaining callbacks from another thread.</summary>
internal sealed class DeferredCallbacks
{
    private readonly UninterruptedLock _lock = new();
    private readonly Queue<WorkItem> _items = new(); // changes under the lock, like the seal
    private bool _isSealed;
    private int _due; // only the loop's thread uses it

    /// <summary>The number of waiting callbacks; exact on the loop's thread until a token stops the loop.</summary>
    public int Count => _items.Count;

    /// <summary>The waiting callbacks, for a debugger: without the lock, which a thread may hold that the debugger has stopped.</summary>
    public WorkItem[] Snapshot() => [.. _items];

    /// <summary>On the loop's thread. <see langword="false"/>: the loop has stopped.</summary>
    public bool TryAdd(Action<object?> callback, object? state, object? context)
    {
        Chaos.Point("DeferredCallbacks.TryAdd");
        using var held = _lock.EnterScope();
        if (_isSealed)
        {
            return false;
        }

        _items.Enqueue(new WorkItem { Callback = callback, State = state, Context = context });
        return true;
    }

    /// <summary>The loop has polled: the waiting callbacks may run in this turn, but no more than posted callbacks may. Callbacks that those add must
    /// wait.</summary>
    public void BecomeDue() => _due = Math.Min(Count, LoopTuning.CallbacksPerTurn);

    /// <summary>On the loop's thread: takes the next callback that may run.</summary>
    public bool TryTakeDue(ref WorkItem item)
    {
        if (_due == 0)
        {
            return false;
        }

        _due--;
        Chaos.Point("DeferredCallbacks.TryTakeDue");
        using var held = _lock.EnterScope();
        return _items.TryDequeue(out item); // not if a token has stopped the loop
    }

    /// <summary>In a stopped loop: rejects callbacks from now on, and takes the waiting callbacks.</summary>
    public WorkItem[] Seal()
    {
        using var held = _lock.EnterScope();
        WorkItem[] left = [.. _items];
        _items.Clear();
        _isSealed = true;
        return left;
    }
}

/// <summary>A callback of another thread that must run after a poll: it is posted, and the loop defers it when its turn comes.</summary>
internal sealed class DeferredFromOutside(EventLoop loop, Action<object?> callback, object? state, ExecutionContext? context)
{
    /// <summary>As a posted callback.</summary>
    public static readonly Action<object?> Defer = static post => ((DeferredFromOutside)post!).DeferNow();

    private void DeferNow()
    {
        using (var hold = new LoopHold(loop))
        {
            if (hold.IsInLoop ? loop.Deferred.TryAdd(callback, state, context) : loop.TryEnqueue(Defer, this, context: null))
            {
                return; // deferred, or posted again: the loop was taken over just now
            }
        }

        // A token has stopped the loop just now, and counted this callback as started.
        if (context is not null)
        {
            ExecutionContext.Restore(context);
        }

        callback(state);
    }
}
