using System.Collections.Concurrent;

namespace NativeThreading.SoakProgram;

/// <summary>What was found that must not be. Thread-safe; takes no lock, because the reporting thread may have an interrupt pending.</summary>
internal sealed class Verdict
{
    private const int MostKept = 50;

    private readonly ConcurrentQueue<string> _errors = [];
    private int _count;

    public bool HasFailed => Volatile.Read(ref _count) != 0;

    public int Count => Volatile.Read(ref _count);

    public string[] Errors => [.. _errors];

    public void Fail(string error)
    {
        if (Interlocked.Increment(ref _count) <= MostKept)
        {
            _errors.Enqueue(error);
        }
    }
}
