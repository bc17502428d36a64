namespace NativeThreading.Tables.Harness;

/// <summary>One line of a table before it is measured. The name is a permanent id; <paramref name="Native"/> is ours,
/// and every peer does the same work in the same process and run.</summary>
internal sealed record Row(string Name, string Unit, Better Better, Contender Native, params IReadOnlyList<Contender> Peers)
{
    /// <summary>Compared with the built-in pool only.</summary>
    public Row(string name, string unit, Better better, Func<Sample> native, Func<Sample> builtIn)
        : this(name, unit, better, new Contender(Contender.Native, native), new Contender(Contender.ThreadPool, builtIn))
    {
    }

    public string? Note { get; init; }

    /// <summary>What the row costs without any library, as bare system calls for example: measured with the others, but
    /// no peer and in no ratio.</summary>
    public Contender? Floor { get; init; }

    /// <summary>Why the row has no advantage although it has peers; null where it has one.</summary>
    public string? NoRatio { get; init; }

    /// <summary>All that is measured: ours, the peers in their order, the floor.</summary>
    public Contender[] Contenders => Floor is null ? [Native, .. Peers] : [Native, .. Peers, Floor];

    /// <summary>Values are rounded to this many decimals, so that noise far below a unit's meaning reads as zero.</summary>
    public int? Decimals { get; init; }
}
