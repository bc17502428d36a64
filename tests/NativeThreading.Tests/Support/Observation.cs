namespace NativeThreading.Tests.Support;

/// <summary>What an item sees when it runs, brought back to the test.</summary>
internal sealed class Observation<T>(Func<T> look) : IDisposable
{
    private readonly ManualResetEventSlim _made = new();
    private T? _seen;

    /// <summary>Waits for the observation.</summary>
    public T Result
    {
        get
        {
            Deadline.Wait(_made, "the observation");
            return _seen!;
        }
    }

    /// <summary>The item, in the shape of a WaitCallback.</summary>
    public void Observe(object? state)
    {
        _seen = look();
        _made.Set();
    }

    public void Dispose() => _made.Dispose();
}
