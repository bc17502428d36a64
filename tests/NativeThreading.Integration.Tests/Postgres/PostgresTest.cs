using NativeThreading.Integration.Servers;
using Npgsql;

namespace NativeThreading.Integration.Postgres;

/// <summary>Npgsql on a pool.</summary>
[Collection<PostgresCollection>]
public abstract class PostgresTest : PoolTest
{
    protected PostgresTest(PostgresServer server)
    {
        server.Require();
        Source = server.Source;
    }

    protected NpgsqlDataSource Source { get; }

    /// <summary>One command outside the pool, with the result's first column of its first row.</summary>
    protected async Task<object?> ScalarAsync(string sql)
    {
        await using NpgsqlCommand command = Source.CreateCommand(sql);
        return await Deadline.For(command.ExecuteScalarAsync(), sql);
    }
}
