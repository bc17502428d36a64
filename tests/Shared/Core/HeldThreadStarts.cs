using NativeThreading.Instrumentation;
using NativeThreading.Platform;

namespace NativeThreading.Tests.Support;

/// <summary>Holds starts of threads, by the thread's name, until they are let go or made to fail.</summary>
internal sealed class HeldThreadStarts : IDisposable
{
    private readonly ManualResetEventSlim _release = new();
    private volatile bool _fails;
    private int _held;

    public HeldThreadStarts(string prefix) => Failpoints.ThreadStart = name =>
    {
        if (name.StartsWith(prefix, StringComparison.Ordinal))
        {
            Interlocked.Increment(ref _held);
            Deadline.Wait(_release);
            if (_fails)
            {
                throw new InsufficientMemoryException("no thread for the test");
            }
        }
    };

    /// <summary>Waits until that many starts are, or were, held.</summary>
    public void WaitFor(int starts) => Deadline.Until(() => Volatile.Read(ref _held) >= starts, $"{starts} starts are in flight");

    /// <summary>Lets go those that are held, and all that come.</summary>
    public void Release(bool fail)
    {
        _fails = fail;
        _release.Set();
    }

    public void Dispose()
    {
        Failpoints.ThreadStart = null;
        _release.Set();
    }
}
