namespace NativeThreading.Integration.Support;

/// <summary>Blocks every thread of the built-in pool, and those that it adds, until disposed.</summary>
internal sealed class BlockedRuntimePool : IDisposable
{
    // The runtime adds a thread or two a second.
    private const int Blockers = 500;

    private readonly ManualResetEventSlim _release = new();
    private readonly CountdownEvent _left = new(Blockers + 1);
    private volatile bool _passed;

    public BlockedRuntimePool()
    {
        for (int i = 0; i < Blockers; i++)
        {
            ThreadPool.UnsafeQueueUserWorkItem(
                _ =>
                {
                    _release.Wait(Deadline.Time);
                    _left.Signal();
                },
                null);
        }

        // Behind all of them.
        ThreadPool.UnsafeQueueUserWorkItem(
            _ =>
            {
                _passed = true;
                _left.Signal();
            },
            null);
    }

    /// <summary>Whether nothing that was queued behind the blockers has run.</summary>
    public bool IsBlocked => !_passed;

    public void Dispose()
    {
        _release.Set();
        Deadline.Wait(_left);
        _left.Dispose();
        _release.Dispose();
    }
}
