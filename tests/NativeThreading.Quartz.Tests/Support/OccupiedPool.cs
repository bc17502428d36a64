namespace NativeThreading.Quartz.Tests.Support;

/// <summary>Holds all running threads of a pool that replaces nobody, so that what comes next waits in its queue.</summary>
internal sealed class OccupiedPool : IDisposable
{
    private readonly ManualResetEventSlim _release = new();
    private readonly CountdownEvent _ended;

    public OccupiedPool(NativeThreadPool pool)
    {
        Assert.Equal(0, pool.MaxBlockedThreads);
        _ended = new CountdownEvent(pool.MaxThreads);
        using var begun = new CountdownEvent(pool.MaxThreads);
        for (int i = 0; i < pool.MaxThreads; i++)
        {
            pool.UnsafeQueueUserWorkItem(_ =>
            {
                begun.Signal();
                _release.Wait(Deadline.Time);
                _ended.Signal();
            }, null);
        }

        Deadline.Wait(begun);
    }

    public void Release() => _release.Set();

    public void Dispose()
    {
        _release.Set();
        Deadline.Wait(_ended);
        _release.Dispose();
        _ended.Dispose();
    }
}
