namespace NativeThreading.Kestrel.Adaptive;

/// <summary>
/// The context in which Kestrel waits for the end of a request: the rest of it, which is the end of its answer and the wait for the next one,
/// runs where the application has come to its end, if that is the loop, a thread without a context, or one of the runtime's pool. A way back
/// to the loop would cost a wake, and send the answer in two parts.
/// </summary>
/// <param name="loop">Of the connection.</param>
internal sealed class EndOfRequest(SynchronizationContext loop) : SynchronizationContext
{
    [ThreadStatic]
    private static bool t_isHere;

    [ThreadStatic]
    private static EndOfRequest? t_last;

    /// <summary>Whether the caller is in the rest of a request.</summary>
    public static bool IsHere => t_isHere;

    private SynchronizationContext Loop => loop;

    /// <summary>Before its caller waits for a request, on the loop or where the request has begun. Both reset the context behind it.</summary>
    public static void Await(SynchronizationContext loop)
    {
        if (t_last is not { } end || end.Loop != loop)
        {
            t_last = end = new EndOfRequest(loop);
        }

        SetSynchronizationContext(end);
    }

    public override void Post(SendOrPostCallback d, object? state)
    {
        ArgumentNullException.ThrowIfNull(d);
        (SynchronizationContext? before, bool wasHere) = (Current, t_isHere);
        bool isOnLoop = EventLoop.Current?.SynchronizationContext == loop;
        if (before is not null && !isOnLoop && !(before is CallContext && Thread.CurrentThread.IsThreadPoolThread))
        {
            loop.Post(d, state); // a thread of somebody else's
            return;
        }

        SetSynchronizationContext(isOnLoop ? loop : null);
        t_isHere = true;
        try
        {
            d(state);
        }
        finally
        {
            t_isHere = wasHere;
            SetSynchronizationContext(before);
        }
    }

    public override SynchronizationContext CreateCopy() => this;
}
