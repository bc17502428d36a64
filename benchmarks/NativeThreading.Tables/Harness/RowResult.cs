namespace NativeThreading.Tables.Harness;

/// <summary>The medians of one row.</summary>
internal sealed record RowResult(
    string Name, string Unit, Better Better, Sample Native, IReadOnlyDictionary<string, Sample> Peers, string? Note)
{
    /// <summary>Compared with the built-in pool only, or without a peer.</summary>
    public RowResult(string name, string unit, Better better, Sample native, Sample? builtIn, string? note)
        : this(name, unit, better, native, builtIn is { } peer ? new() { [Contender.ThreadPool] = peer } : new Dictionary<string, Sample>(), note)
    {
    }

    /// <summary>The row without any library; null where that was not measured.</summary>
    public Sample? Floor { get; init; }

    /// <summary>Why there is no advantage although there are peers.</summary>
    public string? NoRatio { get; init; }

    /// <summary>The value with each number of workers, where a table has a column for each: <see cref="Native"/> is that with two.</summary>
    public IReadOnlyList<(int Workers, double Value)> ByWorkers { get; init; } = [];

    /// <summary>Above 1: ours beats the best peer. Null where a ratio makes no sense.</summary>
    public double? Advantage
    {
        get
        {
            if (Peers.Count == 0 || NoRatio is not null)
            {
                return null;
            }

            double best = Better == Better.Higher ? Peers.Values.Max(p => p.Value) : Peers.Values.Min(p => p.Value);
            if (Native.Value == 0 || best == 0)
            {
                return null;
            }

            return Better == Better.Higher ? Native.Value / best : best / Native.Value;
        }
    }

    /// <summary>The note, with the reason for a missing advantage.</summary>
    public string? FullNote
    {
        get
        {
            string? reason = Advantage is not null ? null
                : NoRatio is not null ? NoRatio
                : Peers.Count == 0 ? "no peer: no ratio"
                : "a value of zero has no ratio";
            return (Note, reason) switch
            {
                (null, _) => reason,
                (_, null) => Note,
                _ => $"{reason}; {Note}",
            };
        }
    }

    /// <summary>The same runs judged by the CPU time that an operation cost the whole process; null where unknown.</summary>
    public RowResult? ByCpuTime(string name)
    {
        if (Native.CpuNanoseconds is null || Peers.Values.Any(p => p.CpuNanoseconds is null))
        {
            return null;
        }

        return By(name, "ns CPU", s => s.CpuNanoseconds!.Value) with
        {
            Floor = Floor is { CpuNanoseconds: double cpu } floor ? floor with { Value = cpu } : null,
        };
    }

    /// <summary>The same runs judged by another measure, of which less is better.</summary>
    public RowResult By(string name, string unit, Func<Sample, double> measure) => this with
    {
        Name = name,
        Unit = unit,
        Better = Better.Lower,
        Native = Native with { Value = measure(Native) },
        Peers = Peers.ToDictionary(p => p.Key, p => p.Value with { Value = measure(p.Value) }),
        Floor = null,
    };
}
