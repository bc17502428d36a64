namespace NativeThreading.Workloads.Http;

/// <summary>From when to when each request has waited, and for which share of the time the server stood still for any of them.</summary>
internal sealed class RequestWaits
{
    /// <summary>A request that waits for longer stands for a server that stands still.</summary>
    public static readonly TimeSpan Stall = TimeSpan.FromMilliseconds(5);

    private readonly List<double> _microseconds = [];
    private readonly List<(TimeSpan From, TimeSpan To)> _stalls = [];

    /// <param name="due">When the request was due.</param>
    /// <param name="answered">When its answer was whole.</param>
    public void Add(TimeSpan due, TimeSpan answered)
    {
        _microseconds.Add((answered - due).TotalMicroseconds);
        if (answered - due > Stall)
        {
            _stalls.Add((due, answered));
        }
    }

    /// <summary>The share of the time in which some request waited that waited for longer than <see cref="Stall"/>.</summary>
    /// <param name="window">The whole time.</param>
    public double Stalled(TimeSpan window)
    {
        TimeSpan stalled = TimeSpan.Zero, until = TimeSpan.Zero;
        foreach ((TimeSpan from, TimeSpan to) in _stalls.Order())
        {
            TimeSpan begin = from > until ? from : until;
            if (to > begin)
            {
                (stalled, until) = (stalled + to - begin, to);
            }
        }

        return stalled / window;
    }

    /// <summary>The result, for <see cref="HttpLoadResult.Parse"/>.</summary>
    /// <param name="window">The whole time.</param>
    public string Line(TimeSpan window) => HttpLoadResult.Line(_microseconds, window, stalled: Stalled(window));
}
