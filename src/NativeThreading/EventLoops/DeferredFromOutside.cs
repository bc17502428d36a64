
namespace NativeThreading.EventLoops;

/// <summary>A callback of another thread that is to run after a poll: posted, and deferred by the loop when its turn comes.</summary>
internal sealed class DeferredFromOutside(EventLoop loop, Action<object?> callback, object? state, ExecutionContext? context)
{
    /// <summary>As a posted callback.</summary>
    public static readonly Action<object?> Defer = static post => ((DeferredFromOutside)post!).DeferNow();

    private void DeferNow()
    {
        if (!TryDefer())
        {
            RunNow(); // a token has stopped the loop just now, and counted this one as begun
        }
    }

    private bool TryDefer()
    {
        using var hold = new LoopHold(loop);
        return hold.IsInLoop
            ? loop.Deferred.TryAdd(callback, state, context)
            : loop.TryEnqueue(Defer, this, context: null); // taken over just now
    }

    private void RunNow()
    {
        if (context is not null)
        {
            ExecutionContext.Restore(context);
        }

        callback(state);
    }
}
