using NativeThreading.Tables.Harness;

namespace NativeThreading.Tables.EventLoops;

/// <summary>One run that yields two rows: the row of p99 takes what that of p50 has seen just before.</summary>
internal sealed class WakeLatencies(string name, Func<(Sample P50, Sample P99)> run)
{
    private Sample? _p99;

    public Contender P50 => new(name, () =>
    {
        (Sample p50, _p99) = run();
        return p50;
    });

    public Contender P99 => new(name, () =>
    {
        Sample p99 = _p99 ?? run().P99;
        _p99 = null;
        return p99;
    });
}
