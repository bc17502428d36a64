namespace NativeThreading.Tests.Support;

/// <summary>Occupies workers of a pool with items that wait, until disposed.</summary>
internal sealed class BlockedWorkers : IDisposable
{
    private readonly ManualResetEventSlim _release = new();
    private readonly CountdownEvent _left;

    /// <summary>Returns when each of <paramref name="count"/> items occupies a worker.</summary>
    public BlockedWorkers(NativeThreadPool pool, int count)
    {
        using var entered = new CountdownEvent(count);
        _left = new CountdownEvent(count);
        for (int i = 0; i < count; i++)
        {
            pool.UnsafeQueueUserWorkItem(
                _ =>
                {
                    entered.Signal();
                    _release.Wait(Deadline.Time);
                    _left.Signal();
                },
                null);
        }

        Deadline.Wait(entered);
    }

    /// <summary>Lets them go.</summary>
    public void Release() => _release.Set();

    /// <summary>Lets them go and waits until they have.</summary>
    public void Dispose()
    {
        _release.Set();
        Deadline.Wait(_left);
        _left.Dispose();
        _release.Dispose();
    }
}
