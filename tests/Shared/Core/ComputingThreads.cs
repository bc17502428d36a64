namespace NativeThreading.Tests.Support;

/// <summary>Threads that compute during the test, from here to the end of the scope.</summary>
internal sealed class ComputingThreads : IDisposable
{
    private readonly ManualResetEventSlim _stop = new();
    private readonly Thread[] _threads;

    public ComputingThreads(int count)
    {
        _threads = [.. Enumerable.Range(0, count).Select(_ => new Thread(() => Computing.Compute(_stop)))];
        Array.ForEach(_threads, static thread => thread.Start());
    }

    public void Dispose()
    {
        _stop.Set();
        Array.ForEach(_threads, static thread => Deadline.Join(thread));
        _stop.Dispose();
    }
}
