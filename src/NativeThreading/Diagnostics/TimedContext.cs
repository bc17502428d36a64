namespace NativeThreading.Diagnostics;

/// <summary>
/// What surrounds an item whose way through the queues is watched: when it was queued, and what else surrounds it. It
/// takes the item's third word, which is empty or an object anyway, so that an item that is not watched costs nothing
/// more where it is run.
/// </summary>
internal sealed class TimedContext(object? inner, long queued)
{
    /// <summary>What the item's context would be otherwise.</summary>
    public object? Inner { get; } = inner;

    /// <summary>In ticks of <see cref="System.Diagnostics.Stopwatch"/>.</summary>
    public long Queued { get; } = queued;

    /// <summary>A context without the watching.</summary>
    public static object? Unwrap(object? context) => context is TimedContext timed ? timed.Inner : context;
}
