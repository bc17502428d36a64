using NativeThreading.Instrumentation;
using NativeThreading.Platform;

namespace NativeThreading.SoakProgram.Pools;

/// <summary>Some pools and loops, by their name, now and then get no thread.</summary>
internal sealed class StartFailures : IDisposable
{
    /// <summary>The end of the name of a pool or loop that this concerns.</summary>
    public const string Mark = "-starved";

    private readonly Tally _tally;
    private int _starts;

    public StartFailures(Tally tally)
    {
        _tally = tally;
        Failpoints.ThreadStart = BeforeStart;
    }

    public void Dispose() => Failpoints.ThreadStart = null;

    private void BeforeStart(string name)
    {
        if (name.Contains(Mark, StringComparison.Ordinal) && Interlocked.Increment(ref _starts) % 3 == 0)
        {
            _tally.Add("thread starts failed");
            throw new InsufficientMemoryException("no thread, for the soak");
        }
    }
}
