using System.Diagnostics;
using NativeThreading.Integration.Servers;
using Npgsql;

namespace NativeThreading.Integration.Postgres;

/// <summary>What the database refuses, what is cancelled, and connections that break.</summary>
public sealed class PostgresFailureTests(PostgresServer server) : PostgresTest(server)
{
    [Fact]
    public async Task ErrorsOfTheServer_AreThrownAtTheAwaitOnThePool()
    {
        await ScalarAsync("DROP TABLE IF EXISTS single; CREATE TABLE single (id int PRIMARY KEY)");
        bool[] inserted = await Pool.StormAsync(Operations, async i =>
        {
            await using NpgsqlCommand command = Source.CreateCommand($"INSERT INTO single VALUES ({i / 2})");
            try
            {
                await command.ExecuteNonQueryAsync();
                return true;
            }
            catch (PostgresException exception) when (exception.SqlState == PostgresErrorCodes.UniqueViolation)
            {
                Trace.Note();
                await Task.Yield();
                Trace.Note();
                return false;
            }
        });
        Assert.Equal(Operations / 2, inserted.Count(done => done));
        Assert.Equal(Operations / 2L, await ScalarAsync("SELECT count(*) FROM single"));
        Trace.AssertOnThePool(Operations);
    }

    [Fact]
    public async Task UncaughtErrors_ComeOutOfRun()
    {
        PostgresException exception = await Assert.ThrowsAsync<PostgresException>(() => Deadline.For(Pool.Run(async () =>
        {
            await using NpgsqlCommand command = Source.CreateCommand("SELECT 1 / 0");
            await command.ExecuteScalarAsync();
        })));
        Assert.Equal(PostgresErrorCodes.DivisionByZero, exception.SqlState);
    }

    [Fact]
    public async Task CancelledQueries_EndAtOnceAndTheirConnectionsGoOn()
    {
        using var cancellation = new CancellationTokenSource();
        Task<int[]> codes = Pool.StormAsync(Operations, async _ =>
        {
            try
            {
                await using NpgsqlConnection connection = await Source.OpenConnectionAsync(cancellation.Token);
                await using var command = new NpgsqlCommand("SELECT pg_sleep(60)", connection);
                await command.ExecuteNonQueryAsync(cancellation.Token);
                return 0;
            }
            catch (OperationCanceledException)
            {
                Trace.Note();
                return 1;
            }
        });

        // A cancellation that overtakes its query is lost, so each runs first. The other operations wait for a connection.
        await using NpgsqlConnection observer = new(Source.ConnectionString + ";Pooling=false");
        await Deadline.For(observer.OpenAsync());
        await UntilSleepersAsync(observer, PostgresServer.Connections);
        await cancellation.CancelAsync();
        Assert.All(await codes, code => Assert.Equal(1, code));
        Trace.AssertOnThePool(Operations);
        Assert.Equal(7, await ScalarAsync("SELECT 7"));
        await UntilSleepersAsync(observer, 0);

        static async Task UntilSleepersAsync(NpgsqlConnection observer, long count)
        {
            long started = Stopwatch.GetTimestamp();
            await using var command = new NpgsqlCommand(
                "SELECT count(*) FROM pg_stat_activity WHERE query LIKE 'SELECT pg_sleep%' AND state = 'active'", observer);
            while ((long)(await Deadline.For(command.ExecuteScalarAsync()))! != count)
            {
                Assert.True(Stopwatch.GetElapsedTime(started) < Deadline.Time, $"{count} queries sleep on the server");
            }
        }
    }

    [Fact]
    public async Task ConnectionClosedByTheServer_FailsTheQueryOnThePool()
    {
        Task<bool> victim = Pool.Run(async () =>
        {
            await using NpgsqlConnection connection = await Source.OpenConnectionAsync();
            await using (var name = new NpgsqlCommand("SET application_name = 'victim'", connection))
            {
                await name.ExecuteNonQueryAsync();
            }

            await using var command = new NpgsqlCommand("SELECT pg_sleep(60)", connection);
            try
            {
                await command.ExecuteNonQueryAsync();
                return false;
            }
            catch (NpgsqlException)
            {
                Trace.Note();
                return connection.State != System.Data.ConnectionState.Open;
            }
        });
        while (await ScalarAsync("""
            SELECT pg_terminate_backend(pid) FROM pg_stat_activity
            WHERE application_name = 'victim' AND query LIKE '%pg_sleep%' AND state = 'active' AND pid <> pg_backend_pid()
            """) is not true)
        {
            Assert.False(victim.IsCompleted);
        }

        Assert.True(await Deadline.For(victim));
        Trace.AssertOnThePool(1);
    }

    [Fact]
    public async Task RefusedConnections_FailOnThePool()
    {
        await using var nobody = NpgsqlDataSource.Create($"Host=127.0.0.1;Port={FreePort.Find()};Username=test");
        await Pool.StormAsync(50, async _ =>
        {
            await Assert.ThrowsAsync<NpgsqlException>(async () => await nobody.OpenConnectionAsync());
            Trace.Note();
        });
        Trace.AssertOnThePool(50);
    }
}
