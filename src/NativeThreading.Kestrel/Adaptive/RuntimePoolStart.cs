namespace NativeThreading.Kestrel.Adaptive;

/// <summary>
/// A request of a loop's connection begins on the runtime's pool. Its context is what Kestrel's code runs under until the application is
/// called, and tells that of which loop it is. What Kestrel awaits there goes on on that pool.
/// </summary>
/// <param name="loop">Of the connection.</param>
/// <param name="ends">By which the connection knows that its requests are to begin there.</param>
/// <param name="action">What begins.</param>
/// <param name="state">Its argument.</param>
internal sealed class RuntimePoolStart(SynchronizationContext loop, Trend ends, Action<object?> action, object? state)
    : SynchronizationContext, IThreadPoolWorkItem
{
    [ThreadStatic]
    private static RuntimePoolStart? t_current;

    /// <summary>Of the connection.</summary>
    public SynchronizationContext Loop => loop;

    private Trend Ends => ends;

    public static void Queue(SynchronizationContext loop, Trend ends, Action<object?> action, object? state) =>
        ThreadPool.UnsafeQueueUserWorkItem(new RuntimePoolStart(loop, ends, action, state), preferLocal: false);

    /// <summary>The request that begins here, if one does, has to go elsewhere: its connection's next ones begin on the loop for long.</summary>
    public static void Refuse() => t_current?.Ends.Forget(Learning.EndsAfterRefusal);

    public override void Post(SendOrPostCallback d, object? state) => Queue(loop, ends, new Action<object?>(d), state);

    public override SynchronizationContext CreateCopy() => this;

    void IThreadPoolWorkItem.Execute()
    {
        SetSynchronizationContext(this);
        t_current = this;
        try
        {
            action(state);
        }
        catch (Exception exception)
        {
            LoopError.Throw(loop, exception);
        }
        finally
        {
            t_current = null;
            SetSynchronizationContext(null);
        }
    }
}
