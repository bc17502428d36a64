using NativeThreading.Integration.Servers;
using Npgsql;
using NpgsqlTypes;

namespace NativeThreading.Integration.Postgres;

/// <summary>Async use of a database: a thousand operations share twenty connections.</summary>
public sealed class PostgresQueryTests(PostgresServer server) : PostgresTest(server)
{
    [Fact]
    public async Task T109_ThousandTransactions_EachCommitsOnceAndEveryAwaitResumesOnThePool()
    {
        await ScalarAsync("DROP TABLE IF EXISTS ledger; CREATE TABLE ledger (id int PRIMARY KEY, square int)");
        int[] ids = await Pool.StormAsync(Operations, InsertAsync);
        Assert.Equal(Enumerable.Range(0, Operations), ids);
        Assert.Equal((long)Operations, await ScalarAsync("SELECT count(*) FROM ledger WHERE square = id * id"));
        Trace.AssertOnThePool(8 * Operations);
    }

    [Fact]
    public async Task StreamedRows_ArriveInOrderOnThePool()
    {
        int[] sums = await Pool.StormAsync(40, async _ =>
        {
            await using NpgsqlCommand command = Source.CreateCommand("SELECT i FROM generate_series(1, 1000) i");
            await using NpgsqlDataReader reader = await command.ExecuteReaderAsync();
            int last = 0;
            while (await reader.ReadAsync())
            {
                Trace.Note();
                Assert.Equal(last + 1, last = reader.GetInt32(0));
            }

            return last;
        });
        Assert.All(sums, last => Assert.Equal(1_000, last));
        Trace.AssertOnThePool(40 * 1_000);
    }

    [Fact]
    public async Task BinaryCopy_WritesEachRowOnce()
    {
        await ScalarAsync("DROP TABLE IF EXISTS copied; CREATE TABLE copied (id int, payload bytea)");
        byte[] payload = new byte[500];
        await Deadline.For(Pool.Run(async () =>
        {
            await using NpgsqlConnection connection = await Source.OpenConnectionAsync();
            await using NpgsqlBinaryImporter importer = await connection.BeginBinaryImportAsync("COPY copied FROM STDIN (FORMAT BINARY)");
            for (int i = 0; i < Operations; i++)
            {
                await importer.StartRowAsync();
                await importer.WriteAsync(i, NpgsqlDbType.Integer);
                await importer.WriteAsync(payload, NpgsqlDbType.Bytea);
                Trace.Note();
            }

            Assert.Equal((ulong)Operations, await importer.CompleteAsync());
        }));
        Assert.Equal((long)Operations, await ScalarAsync("SELECT count(DISTINCT id) FROM copied WHERE length(payload) = 500"));
        Trace.AssertOnThePool(Operations);
    }

    [Fact]
    public async Task Notifications_ReachAListenerOnThePoolInOrder()
    {
        const int Notices = 100;
        var listening = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        Task<List<string>> listener = Pool.Run(async () =>
        {
            List<string> heard = [];
            await using NpgsqlConnection connection = await Source.OpenConnectionAsync();
            connection.Notification += (_, notice) => heard.Add(notice.Payload);
            await using (var command = new NpgsqlCommand("LISTEN news", connection))
            {
                await command.ExecuteNonQueryAsync();
            }

            listening.SetResult();
            while (heard.Count < Notices)
            {
                await connection.WaitAsync();
                Trace.Note();
            }

            return heard;
        });
        await Deadline.For(listening.Task);
        for (int i = 0; i < Notices; i++)
        {
            await ScalarAsync($"NOTIFY news, '{i}'");
        }

        Assert.Equal(Enumerable.Range(0, Notices).Select(i => $"{i}"), await Deadline.For(listener));
    }

    [Fact]
    public Task RepeatedRounds_LeaveNothingBehind() => Growth.AssertNoneAsync(Operations, held => Pool.StormAsync(held.Length, async i =>
    {
        object token = held[i];
        await using NpgsqlCommand command = Source.CreateCommand("SELECT $1");
        command.Parameters.Add(new() { Value = i });
        Assert.Equal(i, await command.ExecuteScalarAsync());
        GC.KeepAlive(token);
    }));

    private async Task<int> InsertAsync(int id)
    {
        await using NpgsqlConnection connection = await Source.OpenConnectionAsync();
        Trace.Note();
        int inserted;
        await using (NpgsqlTransaction transaction = await connection.BeginTransactionAsync())
        {
            Trace.Note();
            await using (var command = new NpgsqlCommand("INSERT INTO ledger VALUES ($1, $1 * $1) RETURNING id", connection, transaction))
            {
                command.Parameters.Add(new() { Value = id });
                await using NpgsqlDataReader reader = await command.ExecuteReaderAsync();
                Trace.Note();
                Assert.True(await reader.ReadAsync());
                Trace.Note();
                inserted = reader.GetInt32(0);
                Assert.False(await reader.ReadAsync());
                Trace.Note();
                await reader.CloseAsync();
                Trace.Note();
            }

            await transaction.CommitAsync();
            Trace.Note();
        }

        await connection.CloseAsync();
        Trace.Note();
        return inserted;
    }
}
