using NativeThreading.Tables.Compare;
using NativeThreading.Tables.Harness;

namespace NativeThreading.Tables.Ablation;

/// <summary>One table without one mechanism, and with all, round by round.</summary>
internal sealed class AblatedTable(string mechanism, string table)
{
    private readonly List<(TableResult Off, TableResult On)> _rounds = [];

    public string Mechanism => mechanism;

    public string Table => table;

    public int Rounds => _rounds.Count;

    /// <summary>The rows that all rounds have.</summary>
    public IEnumerable<AblatedRow> Rows => _rounds.Count == 0 ? [] : _rounds[0].On.Rows.Select(row => Row(row.Name)).OfType<AblatedRow>();

    /// <summary>What the mechanism buys in the rows' values, as a geometric mean; above 1 it pays.</summary>
    public Estimate? Value => Mean(static row => row.ValueLogs);

    /// <summary>The same in CPU time.</summary>
    public Estimate? Cpu => Mean(static row => row.CpuLogs);

    public void Add(TableResult off, TableResult on) => _rounds.Add((off, on));

    private AblatedRow? Row(string name)
    {
        (RowResult? Off, RowResult? On)[] pairs = [.. _rounds.Select(round => (Find(round.Off), Find(round.On)))];
        return Array.TrueForAll(pairs, static pair => pair is { Off: not null, On: not null })
            ? new AblatedRow(name, [.. pairs.Select(static pair => (pair.Off!, pair.On!))])
            : null;

        RowResult? Find(TableResult result) => result.Rows.FirstOrDefault(row => row.Name == name);
    }

    /// <summary>One number per round: the rounds are what varies by chance.</summary>
    private Estimate? Mean(Func<AblatedRow, double[]?> logs)
    {
        double[][] rows = [.. Rows.Select(logs).OfType<double[]>()];
        return rows.Length == 0 ? null : Estimate.Of([.. Enumerable.Range(0, Rounds).Select(round => rows.Average(row => row[round]))]);
    }
}

/// <summary>One row of it.</summary>
internal sealed class AblatedRow(string name, (RowResult Off, RowResult On)[] rounds)
{
    public string Name => name;

    public string Unit => rounds[0].On.Unit;

    /// <summary>The median without the mechanism.</summary>
    public double Off => Statistics.Median(rounds.Select(static round => round.Off.Native.Value));

    /// <summary>And with it.</summary>
    public double On => Statistics.Median(rounds.Select(static round => round.On.Native.Value));

    /// <inheritdoc cref="AblatedTable.Value"/>
    public Estimate? Value => ValueLogs is { } logs ? Estimate.Of(logs) : null;

    /// <inheritdoc cref="AblatedTable.Cpu"/>
    public Estimate? Cpu => CpuLogs is { } logs ? Estimate.Of(logs) : null;

    /// <summary>Logarithms of off over on where less is better, else of on over off. Null where a value is 0 or unknown: there is no ratio.</summary>
    public double[]? ValueLogs => Logs(static (row, of) => row.Better == Better.Lower ? of.Value : 1 / of.Value);

    /// <summary>Of off over on.</summary>
    public double[]? CpuLogs => Logs(static (_, of) => of.CpuNanoseconds ?? 0);

    private double[]? Logs(Func<RowResult, Sample, double> cost)
    {
        double[] logs = [.. rounds.Select(round => Math.Log(cost(round.Off, round.Off.Native) / cost(round.On, round.On.Native)))];
        return Array.TrueForAll(logs, double.IsFinite) ? logs : null;
    }
}
