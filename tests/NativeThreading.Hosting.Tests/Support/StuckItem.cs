namespace NativeThreading.Hosting.Tests.Support;

/// <summary>An item that occupies a worker until it is released.</summary>
internal sealed class StuckItem : IDisposable
{
    private readonly ManualResetEventSlim _release = new();
    private readonly TaskCompletionSource _ended = new(TaskCreationOptions.RunContinuationsAsynchronously);

    /// <summary>Returns when the item runs.</summary>
    public StuckItem(NativeThreadPool pool)
    {
        using var runs = new ManualResetEventSlim();
        pool.UnsafeQueueUserWorkItem(
            _ =>
            {
                runs.Set();
                _release.Wait(Deadline.Time);
                _ended.SetResult();
            },
            null);
        Deadline.Wait(runs);
    }

    public void Dispose()
    {
        _release.Set();
        Deadline.Wait(_ended.Task);
        _release.Dispose();
    }
}
