using Npgsql;

namespace NativeThreading.Samples.Cluster;

/// <summary>
/// Effects in the database. One statement, and so one transaction, notes the attempt, claims the item's key and has the effect if
/// the key was free. A second attempt on the same item waits for the first one's commit and then finds the key taken.
/// </summary>
/// <remarks>
/// Its connections are Npgsql's of that connection string, which the schedulers of the process have, too: one pool, whose size bounds
/// all of them. A data source would have its own.
/// </remarks>
internal sealed class DatabaseEffects(string database, string node) : IEffects
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

    public Task CreateAsync(CancellationToken cancellationToken) => ExecuteAsync(Create, cancellationToken);

    public Task ApplyAsync(string key, CancellationToken cancellationToken) => ExecuteAsync(Apply, cancellationToken, Text(key), Text(node));

    /// <summary>
    /// After many triggers were added at once: prepared statements keep the plans of empty tables, which read a whole table for each
    /// item, until the server looks by itself.
    /// </summary>
    public Task AnalyzeAsync(CancellationToken cancellationToken) => ExecuteAsync("ANALYZE", cancellationToken);

    /// <summary>How many effects each node has had.</summary>
    public async Task<IReadOnlyDictionary<string, long>> ByNodeAsync(CancellationToken cancellationToken) =>
        (await RowsAsync("SELECT node, count(*) FROM cluster_effect GROUP BY node", row => (Node: row.GetString(0), Count: row.GetInt64(1)), cancellationToken))
        .ToDictionary(row => row.Node, row => row.Count, StringComparer.Ordinal);

    public async Task<Account> AccountAsync(int items, CancellationToken cancellationToken)
    {
        (long effects, long distinct, long attempts) = await RowAsync(
            "SELECT (SELECT count(*) FROM cluster_effect), (SELECT count(DISTINCT item) FROM cluster_effect), (SELECT count(*) FROM cluster_attempt)",
            row => (row.GetInt64(0), row.GetInt64(1), row.GetInt64(2)),
            cancellationToken);
        return new Account(items, effects, items - distinct, effects - distinct, attempts - distinct);
    }

    /// <summary>Triggers that have not fired yet, firings that are not complete: what the cluster still has to do.</summary>
    public Task<long> OpenAsync(string[] schedulers, CancellationToken cancellationToken) => RowAsync(
        "SELECT (SELECT count(*) FROM qrtz_triggers WHERE sched_name = ANY($1)) + (SELECT count(*) FROM qrtz_fired_triggers WHERE sched_name = ANY($1))",
        row => row.GetInt64(0),
        cancellationToken,
        new NpgsqlParameter<string[]> { TypedValue = schedulers });

    /// <summary>How many connections the nodes hold at this moment, all together, and the coordinator.</summary>
    public Task<long> ConnectionsAsync(CancellationToken cancellationToken) => RowAsync(
        "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND application_name = current_setting('application_name')",
        row => row.GetInt64(0),
        cancellationToken);

    /// <summary>What the database has done so far, for all who use it. A crash resets it.</summary>
    public Task<(long Transactions, long RowsWritten)> LoadAsync(CancellationToken cancellationToken) => RowAsync(
        "SELECT xact_commit + xact_rollback, tup_inserted + tup_updated + tup_deleted FROM pg_stat_database WHERE datname = current_database()",
        row => (row.GetInt64(0), row.GetInt64(1)),
        cancellationToken);

    private static NpgsqlParameter<string> Text(string value) => new() { TypedValue = value };

    private async Task<T> RowAsync<T>(string sql, Func<NpgsqlDataReader, T> read, CancellationToken cancellationToken, params NpgsqlParameter[] parameters) =>
        (await RowsAsync(sql, read, cancellationToken, parameters))[0];

    private async Task<List<T>> RowsAsync<T>(string sql, Func<NpgsqlDataReader, T> read, CancellationToken cancellationToken, params NpgsqlParameter[] parameters)
    {
        var all = new List<T>();
        await using var connection = new NpgsqlConnection(database);
        await connection.OpenAsync(cancellationToken);
        await using var command = new NpgsqlCommand(sql, connection);
        command.Parameters.AddRange(parameters);
        await using NpgsqlDataReader rows = await command.ExecuteReaderAsync(cancellationToken);
        while (await rows.ReadAsync(cancellationToken))
        {
            all.Add(read(rows));
        }

        return all;
    }

    private async Task ExecuteAsync(string sql, CancellationToken cancellationToken, params NpgsqlParameter[] parameters) =>
        await RowsAsync(sql, static _ => 0, cancellationToken, parameters);
}
