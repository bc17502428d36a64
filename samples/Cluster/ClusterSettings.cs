namespace NativeThreading.Samples.Cluster;

/// <summary>The command line; the same in all processes of one run.</summary>
internal sealed record ClusterSettings(
    int Nodes, int Items, int Keys, int Schedulers, string? Database, bool Chaos,
    int Threads, int Concurrency, int Connections,
    TimeSpan Wait, TimeSpan Block, int Compute,
    bool QuartzPool, TimeSpan Limit)
{
    /// <summary>The value of --database for no database at all.</summary>
    public const string Memory = "memory";

    /// <summary>The value of --database for a PostgreSQL of the run's own, which several nodes get unasked.</summary>
    public const string Own = "own";

    /// <summary>How often a node says that it is alive.</summary>
    public static readonly TimeSpan CheckinInterval = TimeSpan.FromSeconds(1);

    /// <summary>How much later than that the others take its work over. In production more than the longest pause of a process.</summary>
    public static readonly TimeSpan CheckinGrace = TimeSpan.FromSeconds(2);
}
