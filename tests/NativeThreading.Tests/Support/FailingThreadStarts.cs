using NativeThreading.Workers;

namespace NativeThreading.Tests.Support;

/// <summary>Lets every start of a thread whose name begins with a prefix fail, until disposed.</summary>
internal sealed class FailingThreadStarts : IDisposable
{
    private int _attempts;

    public FailingThreadStarts(string prefix) => ThreadStarter.BeforeStart = name =>
    {
        if (name.StartsWith(prefix, StringComparison.Ordinal))
        {
            Interlocked.Increment(ref _attempts);
            throw new InsufficientMemoryException("no thread for the test");
        }
    };

    /// <summary>Starts that failed.</summary>
    public int Attempts => Volatile.Read(ref _attempts);

    public void Dispose() => ThreadStarter.BeforeStart = null;
}
