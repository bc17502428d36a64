using System.Runtime.ExceptionServices;

namespace NativeThreading.Tests.Support;

/// <summary>What an item sees when it runs, brought back to the test; likewise what it throws.</summary>
internal sealed class Observation<T>(Func<T> look) : IDisposable
{
    private readonly ManualResetEventSlim _made = new();
    private T? _seen;
    private ExceptionDispatchInfo? _thrown;

    /// <summary>Waits for the observation.</summary>
    public T Result
    {
        get
        {
            Deadline.Wait(_made, "the observation");
            _thrown?.Throw();
            return _seen!;
        }
    }

    /// <summary>The item, in the shape of a WaitCallback.</summary>
    public void Observe(object? state)
    {
        try
        {
            _seen = look();
        }
        catch (Exception exception)
        {
            _thrown = ExceptionDispatchInfo.Capture(exception);
        }

        _made.Set();
    }

    public void Dispose() => _made.Dispose();
}
