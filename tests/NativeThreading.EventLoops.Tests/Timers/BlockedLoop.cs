using NativeThreading.Tests.Support;

namespace NativeThreading.Tests.EventLoops.Timers;

/// <summary>Occupies a loop's thread with a callback that waits, until disposed.</summary>
internal sealed class BlockedLoop : IDisposable
{
    private readonly ManualResetEventSlim _release = new();
    private readonly Task _callback;

    /// <summary>Returns when the callback occupies the loop.</summary>
    public BlockedLoop(EventLoop loop)
    {
        using var entered = new ManualResetEventSlim();
        _callback = loop.InvokeAsync(() =>
        {
            entered.Set();
            _release.Wait(Deadline.Time);
        });
        Deadline.Wait(entered);
    }

    public void Dispose()
    {
        _release.Set();
        Deadline.Wait(_callback);
        _release.Dispose();
    }
}
