using NativeThreading.Tables.Harness;

namespace NativeThreading.Tables.EventLoops;

/// <summary>One run that yields two rows: the row of p50 measures, the row of p99 follows it and takes what that saw.</summary>
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
        Sample p99 = _p99 ?? throw new InvalidOperationException("The row of p99 stands before that of p50.");
        _p99 = null;
        return p99;
    });
}
