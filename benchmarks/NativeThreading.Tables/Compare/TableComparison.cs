using NativeThreading.Tables.Harness;

namespace NativeThreading.Tables.Compare;

/// <summary>One table of two commits, measured by turns: each round has a result of either.</summary>
internal sealed class TableComparison
{
    private readonly (ResultFile Old, ResultFile New)[] _rounds;

    /// <exception cref="MeasurementException">There is no round, or no row that both have.</exception>
    public TableComparison(string table, IEnumerable<(ResultFile Old, ResultFile New)> rounds)
    {
        Table = table;
        _rounds = [.. rounds];
        if (_rounds.Length == 0)
        {
            throw new MeasurementException($"{table}: no round was measured.");
        }

        string[] all = [.. _rounds.SelectMany(r => r.Old.Rows.Keys.Concat(r.New.Rows.Keys)).Distinct()];
        Common = [.. all.Where(name => _rounds.All(r => r.Old.Rows.ContainsKey(name) && r.New.Rows.ContainsKey(name)))];
        OnOneSide = [.. all.Except(Common)];
        Compared = [.. Common.Where(name => _rounds.All(r => Log(r, name).HasValue))];
        if (Common.Count == 0)
        {
            throw new MeasurementException($"{table}: the two commits have no row in common.");
        }
    }

    public string Table { get; }

    public int Rounds => _rounds.Length;

    /// <summary>Rows that both sides measured in all rounds.</summary>
    public IReadOnlyList<string> Common { get; }

    /// <summary>Rows that one side lacks.</summary>
    public IReadOnlyList<string> OnOneSide { get; }

    /// <summary>Rows with a ratio.</summary>
    public IReadOnlyList<string> Compared { get; }

    /// <summary>Rows without a ratio in some round, because one of the two values was zero, that are not zero throughout.</summary>
    public IEnumerable<string> WithZeros => Common.Except(Compared).Where(name => Old(name) != 0 || New(name) != 0);

    /// <summary>The geometric mean over the rows.</summary>
    public Estimate? Whole => Compared.Count == 0 ? null : Estimate.Of(Logarithms);

    /// <summary>The same of the peers; null where the table has none.</summary>
    public Estimate? Peers => PeerLogarithms is { } peers ? Estimate.Of(peers) : null;

    /// <summary>Ours without what the machine did to ours and peers alike: better where both sides drift, worse where a peer is
    /// unsteady by itself.</summary>
    public Estimate? BesidePeers => PeerLogarithms is { } peers ? Estimate.Of([.. Logarithms.Zip(peers, static (ours, peer) => ours - peer)]) : null;

    /// <summary>What may be said: a difference only where it is there with and without what the machine did.</summary>
    public string Verdict => Whole is not { } whole ? "no row has a ratio"
        : BesidePeers is not { } beside || beside.Verdict == whole.Verdict ? whole.Verdict
        : Estimate.NoDifference;

    private double[] Logarithms => [.. _rounds.Select(r => Compared.Average(name => Log(r, name)!.Value))];

    private double[]? PeerLogarithms
    {
        get
        {
            double[][] logarithms = [.. _rounds.Select(r => Compared.SelectMany(name => r.New.Rows[name].LogPeersBetterThan(r.Old.Rows[name])).ToArray())];
            return logarithms.All(l => l.Length != 0) ? [.. logarithms.Select(l => l.Average())] : null;
        }
    }

    public Estimate? Row(string name) => Compared.Contains(name) ? Estimate.Of([.. _rounds.Select(r => Log(r, name)!.Value)]) : null;

    /// <summary>A row's median over the rounds.</summary>
    public double Old(string name) => Statistics.Median(_rounds.Select(r => r.Old.Rows[name].Native ?? double.NaN));

    /// <inheritdoc cref="Old"/>
    public double New(string name) => Statistics.Median(_rounds.Select(r => r.New.Rows[name].Native ?? double.NaN));

    private static double? Log((ResultFile Old, ResultFile New) round, string name) => round.New.Rows[name].LogBetterThan(round.Old.Rows[name]);
}
