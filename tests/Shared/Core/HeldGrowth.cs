using NativeThreading.Instrumentation;
using NativeThreading.Queues;

namespace NativeThreading.Tests.Support;

/// <summary>Holds the first thread that needs memory for one purpose, until it is let go. Others pass.</summary>
internal sealed class HeldGrowth : IDisposable
{
    private readonly ManualResetEventSlim _isHeld = new();
    private readonly ManualResetEventSlim _release = new();
    private int _times;

    public HeldGrowth(string purpose) => Failpoints.Growth = what =>
    {
        if (what == purpose && Interlocked.Increment(ref _times) == 1)
        {
            _isHeld.Set();
            Deadline.Wait(_release);
        }
    };

    /// <summary>Waits until a thread is held.</summary>
    public void WaitForOne() => Deadline.Wait(_isHeld);

    /// <summary>Lets it go.</summary>
    public void Release() => _release.Set();

    public void Dispose()
    {
        Failpoints.Growth = null;
        _release.Set();
    }
}
