namespace NativeThreading.Dashboard.Sampling;

/// <summary>Calls a method once a period, on a thread of its own: a starved built-in pool must not stop the samples that show it.</summary>
internal sealed class Ticker : IDisposable
{
    private const int StackSize = 256 * 1024;

    private readonly ManualResetEvent _ended = new(false);

    public Ticker(Action tick, TimeSpan period)
    {
        var thread = new Thread(
            () =>
            {
                using (_ended)
                {
                    while (!_ended.WaitOne(period))
                    {
                        tick();
                    }
                }
            },
            StackSize)
        {
            IsBackground = true,
            Name = "NativeThreading.Dashboard",
        };
        thread.UnsafeStart(); // without the context of the request that came first
    }

    /// <summary>Ends it; a call that has started completes. Called once.</summary>
    public void Dispose() => _ended.Set();
}
