using NativeThreading.Tests.Support;

namespace NativeThreading.Tests.EventLoops;

/// <summary>Occupies a loop with a callback that waits, until disposed.</summary>
internal sealed class OccupiedLoop : IDisposable
{
    private readonly ManualResetEventSlim _release = new();
    private readonly ManualResetEventSlim _left = new();

    /// <summary>Returns when the loop runs the callback.</summary>
    public OccupiedLoop(EventLoop loop)
    {
        using var entered = new ManualResetEventSlim();
        loop.UnsafePost(
            _ =>
            {
                entered.Set();
                _release.Wait(Deadline.Time);
                _left.Set();
            },
            null);
        Deadline.Wait(entered);
    }

    /// <summary>Lets the loop go on.</summary>
    public void Release() => _release.Set();

    /// <summary>Lets it go on and waits until it does.</summary>
    public void Dispose()
    {
        _release.Set();
        Deadline.Wait(_left);
        _left.Dispose();
        _release.Dispose();
    }
}
