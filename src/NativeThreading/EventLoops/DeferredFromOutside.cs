namespace NativeThreading.EventLoops;

/// <summary>A callback of another thread that is to run after a poll: posted, and deferred by the loop when its turn comes.</summary>
internal sealed class DeferredFromOutside(EventLoop loop, Action<object?> callback, object? state, object? context)
{
    /// <summary>As a posted callback.</summary>
    public static readonly Action<object?> Defer = static post => ((DeferredFromOutside)post!).DeferNow();

    /// <summary>A loop that was stopped by token while this ran has counted this as begun: it ends here, like a callback that does nothing.</summary>
    private void DeferNow() => loop.Deferred.TryAdd(callback, state, context);
}
