namespace NativeThreading.Tables.Harness;

/// <summary>A measured table: how many runs each median is taken over, and the rows.</summary>
internal sealed record TableResult(int Runs, IReadOnlyList<RowResult> Rows)
{
    /// <summary>Geometric mean of the advantages; null where no row has one.</summary>
    public double? Geomean => Statistics.Geomean(Advantages);

    public double? Worst => Advantages.Count == 0 ? null : Advantages.Min();

    private List<double> Advantages => [.. Rows.Where(r => r.Advantage.HasValue).Select(r => r.Advantage!.Value)];
}
