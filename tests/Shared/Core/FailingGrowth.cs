using NativeThreading.Instrumentation;
using NativeThreading.Queues;

namespace NativeThreading.Tests.Support;

/// <summary>Lets the library find no memory for one purpose, from the n-th time on, until disposed.</summary>
internal sealed class FailingGrowth : IDisposable
{
    private int _times;

    public FailingGrowth(string purpose, int first = 1) => Failpoints.Growth = what =>
    {
        if (what == purpose && Interlocked.Increment(ref _times) >= first)
        {
            throw new InsufficientMemoryException($"no memory for a {what}");
        }
    };

    /// <summary>Calls until it throws that.</summary>
    public static void AssertEndsInIt(Action call)
    {
        Exception? thrown = null;
        while (thrown is null)
        {
            thrown = Record.Exception(call);
        }

        Assert.IsAssignableFrom<OutOfMemoryException>(thrown);
    }

    public void Dispose() => Failpoints.Growth = null;
}
