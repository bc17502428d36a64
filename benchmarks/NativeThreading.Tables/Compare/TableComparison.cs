using NativeThreading.Tables.Harness;

namespace NativeThreading.Tables.Compare;

/// <summary>One table of two commits, measured by turns: each round has a result of either.</summary>
internal sealed class TableComparison
{
    private readonly (Dictionary<string, RowResult> Old, Dictionary<string, RowResult> New)[] _rounds;

    /// <exception cref="MeasurementException">There is no round, or no row that both have.</exception>
    public TableComparison(string table, IEnumerable<(TableResult Old, TableResult New)> rounds)
    {
        Table = table;
        _rounds = [.. rounds.Select(static r => (r.Old.Rows.ToDictionary(static row => row.Name), r.New.Rows.ToDictionary(static row => row.Name)))];
        if (_rounds.Length == 0)
        {
            throw new MeasurementException($"{table}: no round was measured.");
        }

        string[] all = [.. _rounds.SelectMany(r => r.Old.Keys.Concat(r.New.Keys)).Distinct()];
        Common = [.. all.Where(name => _rounds.All(r => r.Old.ContainsKey(name) && r.New.ContainsKey(name)))];
        OnOneSide = [.. all.Except(Common)];
        Compared = [.. Common.Where(name => _rounds.All(r => Log(r.Old[name], r.New[name]).HasValue))];
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

    private double[] Logarithms => [.. _rounds.Select(r => Compared.Average(name => Log(r.Old[name], r.New[name])!.Value))];

    private double[]? PeerLogarithms
    {
        get
        {
            double[][] logarithms = [.. _rounds.Select(r => Compared.SelectMany(name => LogPeers(r.Old[name], r.New[name])).ToArray())];
            return logarithms.All(l => l.Length != 0) ? [.. logarithms.Select(l => l.Average())] : null;
        }
    }

    public Estimate? Row(string name) => Compared.Contains(name) ? Estimate.Of([.. _rounds.Select(r => Log(r.Old[name], r.New[name])!.Value)]) : null;

    /// <summary>A row's median over the rounds.</summary>
    public double Old(string name) => Statistics.Median(_rounds.Select(r => r.Old[name].Native.Value));

    /// <inheritdoc cref="Old"/>
    public double New(string name) => Statistics.Median(_rounds.Select(r => r.New[name].Native.Value));

    /// <summary>By how much the new row is better than the old one, as a logarithm. Null where a value is zero or unknown: such a
    /// row has no ratio.</summary>
    private static double? Log(RowResult old, RowResult now) => Log(now.Better, old.Native, now.Native);

    /// <summary>The same of the peers, whose code is the same on both sides: what it shows is noise and drift.</summary>
    private static IEnumerable<double> LogPeers(RowResult old, RowResult now) =>
        from peer in now.Peers
        where old.Peers.ContainsKey(peer.Key)
        let log = Log(now.Better, old.Peers[peer.Key], peer.Value)
        where log.HasValue
        select log.Value;

    private static double? Log(Better better, Sample old, Sample now) =>
        old.Value > 0 && now.Value > 0 ? Math.Log(better == Better.Higher ? now.Value / old.Value : old.Value / now.Value) : null;
}
