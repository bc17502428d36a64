using Npgsql;

namespace NativeThreading.Samples.Cluster;

/// <summary>
/// Effects in the database. One statement, and so one transaction, notes the attempt, claims the item's key and has the effect if
/// the key was free. A second attempt on the same item waits for the first one's commit and then finds the key taken.
/// </summary>
internal sealed class DatabaseEffects(string database, string node) : IEffects, IAsyncDisposable
{
    private const string Apply = """
        WITH attempt AS (INSERT INTO cluster_attempt (item, node) VALUES ($1, $2)),
             claim AS (INSERT INTO cluster_claim (item) VALUES ($1) ON CONFLICT DO NOTHING RETURNING item)
        INSERT INTO cluster_effect (item, node) SELECT item, $2 FROM claim
        """;

    // The effects have no key of their own, so that one which was had twice would show.
    private const string Create = """
        DROP TABLE IF EXISTS cluster_attempt, cluster_claim, cluster_effect;
        CREATE TABLE cluster_attempt (item text NOT NULL, node text NOT NULL);
        CREATE TABLE cluster_claim (item text PRIMARY KEY);
        CREATE TABLE cluster_effect (item text NOT NULL, node text NOT NULL)
        """;

    private readonly NpgsqlDataSource _source = NpgsqlDataSource.Create(database);

    public Task CreateAsync(CancellationToken cancellationToken) => ExecuteAsync(Create, cancellationToken);

    public Task ApplyAsync(string key, CancellationToken cancellationToken) => ExecuteAsync(Apply, cancellationToken, key, node);

    /// <summary>
    /// After many triggers were added at once: prepared statements keep the plans of empty tables, which read a whole table for each
    /// item, until the server looks by itself.
    /// </summary>
    public Task AnalyzeAsync(CancellationToken cancellationToken) => ExecuteAsync("ANALYZE", cancellationToken);

    /// <summary>How many effects each node has had.</summary>
    public async Task<IReadOnlyDictionary<string, long>> ByNodeAsync(CancellationToken cancellationToken)
    {
        var counts = new Dictionary<string, long>(StringComparer.Ordinal);
        await using NpgsqlCommand command = _source.CreateCommand("SELECT node, count(*) FROM cluster_effect GROUP BY node");
        await using NpgsqlDataReader rows = await command.ExecuteReaderAsync(cancellationToken);
        while (await rows.ReadAsync(cancellationToken))
        {
            counts[rows.GetString(0)] = rows.GetInt64(1);
        }

        return counts;
    }

    public async Task<Account> AccountAsync(int items, CancellationToken cancellationToken)
    {
        await using NpgsqlCommand command = _source.CreateCommand("""
            SELECT (SELECT count(*) FROM cluster_effect), (SELECT count(DISTINCT item) FROM cluster_effect), (SELECT count(*) FROM cluster_attempt)
            """);
        await using NpgsqlDataReader row = await command.ExecuteReaderAsync(cancellationToken);
        await row.ReadAsync(cancellationToken);
        (long effects, long distinct, long attempts) = (row.GetInt64(0), row.GetInt64(1), row.GetInt64(2));
        return new Account(items, effects, items - distinct, effects - distinct, attempts - distinct);
    }

    /// <summary>Triggers that have not fired yet, firings that are not complete: what the cluster still has to do.</summary>
    public async Task<long> OpenAsync(CancellationToken cancellationToken)
    {
        await using NpgsqlCommand command = _source.CreateCommand("""
            SELECT (SELECT count(*) FROM qrtz_triggers WHERE sched_name = $1) + (SELECT count(*) FROM qrtz_fired_triggers WHERE sched_name = $1)
            """);
        command.Parameters.Add(new NpgsqlParameter<string> { TypedValue = Schedulers.Name });
        return (long)(await command.ExecuteScalarAsync(cancellationToken))!;
    }

    /// <summary>What the database has done so far, for all who use it. A crash resets it.</summary>
    public async Task<(long Transactions, long RowsWritten)> LoadAsync(CancellationToken cancellationToken)
    {
        await using NpgsqlCommand command = _source.CreateCommand("""
            SELECT xact_commit + xact_rollback, tup_inserted + tup_updated + tup_deleted FROM pg_stat_database WHERE datname = current_database()
            """);
        await using NpgsqlDataReader row = await command.ExecuteReaderAsync(cancellationToken);
        await row.ReadAsync(cancellationToken);
        return (row.GetInt64(0), row.GetInt64(1));
    }

    public ValueTask DisposeAsync() => _source.DisposeAsync();

    private async Task ExecuteAsync(string sql, CancellationToken cancellationToken, params string[] parameters)
    {
        await using NpgsqlCommand command = _source.CreateCommand(sql);
        foreach (string parameter in parameters)
        {
            command.Parameters.Add(new NpgsqlParameter<string> { TypedValue = parameter });
        }

        await command.ExecuteNonQueryAsync(cancellationToken);
    }
}
