namespace NativeThreading.Tables.Harness;

/// <summary>One line of a table before it is measured. The name is a permanent id; <paramref name="Native"/> is ours,
/// and every peer does the same work in the same process and run.</summary>
internal sealed record Row(string Name, string Unit, Better Better, Contender Native, params IReadOnlyList<Contender> Peers)
{
    public string? Note { get; init; }

    /// <summary>Values are rounded to this many decimals, so that noise far below a unit's meaning reads as zero.</summary>
    public int? Decimals { get; init; }
}
