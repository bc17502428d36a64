using NativeThreading.Instrumentation;
using NativeThreading.Platform;

namespace NativeThreading.Tests.Support;

/// <summary>Lets starts of threads fail, by the thread's name, until disposed.</summary>
internal sealed class FailingThreadStarts : IDisposable
{
    private int _attempts;

    public FailingThreadStarts(string prefix)
        : this(name => name.StartsWith(prefix, StringComparison.Ordinal))
    {
    }

    public FailingThreadStarts(Func<string, bool> fails) => Failpoints.ThreadStart = name =>
    {
        if (fails(name))
        {
            Interlocked.Increment(ref _attempts);
            throw new InsufficientMemoryException("no thread for the test");
        }
    };

    /// <summary>Starts that failed.</summary>
    public int Attempts => Volatile.Read(ref _attempts);

    public void Dispose() => Failpoints.ThreadStart = null;
}
