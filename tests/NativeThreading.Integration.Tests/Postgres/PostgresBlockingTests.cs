using System.Collections.Concurrent;
using NativeThreading.Integration.Servers;
using Npgsql;

namespace NativeThreading.Integration.Postgres;

/// <summary>Blocking use of a database: what pools of their own are made for.</summary>
public sealed class PostgresBlockingTests(PostgresServer server) : PostgresTest(server)
{
    [Fact]
    public async Task ThousandBlockingQueries_EachRunsOnceOnThePool()
    {
        await ScalarAsync("DROP TABLE IF EXISTS sync_ledger; CREATE TABLE sync_ledger (id int PRIMARY KEY)");
        Task[] inserts = [.. Enumerable.Range(0, Operations).Select(i => Pool.Run(() =>
        {
            Execute($"INSERT INTO sync_ledger VALUES ({i})");
            Trace.Note();
        }))];
        await Deadline.For(Task.WhenAll(inserts));
        Assert.Equal((long)Operations, await ScalarAsync("SELECT count(*) FROM sync_ledger"));
        Trace.AssertOnThePool(Operations);
    }

    /// <summary>Sixteen queries that wait for one another: four threads alone would never end them.</summary>
    [Fact]
    public async Task T88_QueriesThatBlockEveryWorker_AreJoinedByFurtherOnes()
    {
        const int Together = 16;
        await ScalarAsync("DROP TABLE IF EXISTS barrier; CREATE UNLOGGED TABLE barrier (id int)");
        int peak = 0;
        Task[] queries = [.. Enumerable.Range(0, Together).Select(i => Pool.Run(() =>
        {
            Execute($"INSERT INTO barrier VALUES ({i})");
            Execute($"""
                DO $$ BEGIN
                  WHILE (SELECT count(*) FROM barrier) < {Together} LOOP PERFORM pg_sleep(0.005); END LOOP;
                END $$
                """);
            InterlockedMax(ref peak, Pool.ThreadCount);
        }))];
        await Deadline.For(Task.WhenAll(queries));
        Assert.True(peak >= Together, $"{Together} waited for one another on {peak} threads");
    }

    /// <summary>
    /// A blocking query on an open connection needs no thread but its own. (An async one needs the built-in pool: it is
    /// there that sockets complete. So may a blocking one that has to get its connection from the source.)
    /// </summary>
    [Fact]
    public void T106_WhileTheRuntimesPoolIsBlocked_BlockingQueriesGoOn()
    {
        const int Queries = 100;
        const int Connections = 8; // one for each thread
        using var done = new CountdownEvent(Queries);
        using var pool = new NativeThreadPool(new NativeThreadPoolOptions { MaxThreads = 4, MaxBlockedThreads = 4 });
        var open = new ConcurrentBag<NpgsqlConnection>(Enumerable.Range(0, Connections).Select(_ => Source.OpenConnection()));
        using (var blocked = new BlockedRuntimePool())
        {
            for (int i = 0; i < Queries; i++)
            {
                pool.QueueUserWorkItem(_ =>
                {
                    Assert.True(open.TryTake(out NpgsqlConnection? connection));
                    using (var command = new NpgsqlCommand("SELECT 1", connection))
                    {
                        command.ExecuteNonQuery();
                    }

                    open.Add(connection);
                    done.Signal();
                });
            }

            // All but one for each connection at most: what arrives between a socket's look and its wait is reported through
            // the built-in pool (its worker is then in SocketAsyncContext.PerformSyncOperation), one query in a thousand here.
            Deadline.Until(() => done.CurrentCount <= Connections);
            Assert.True(blocked.IsBlocked, "the built-in pool was blocked all the time");
        }

        Deadline.Wait(done);

        Assert.All(open, static connection => connection.Dispose());
    }

    /// <summary>Blocking on async code on every worker: replaced, so that the continuations get a thread.</summary>
    [Fact]
    public async Task T111_SyncOverAsync_EndsOnThePool()
    {
        Task<int>[] queries = [.. Enumerable.Range(0, 100).Select(i => Pool.Run(() => Async(i).Result))];
        Assert.Equal(Enumerable.Range(0, 100), await Deadline.For(Task.WhenAll(queries)));
        Trace.AssertOnThePool(100);

        async Task<int> Async(int i)
        {
            await using NpgsqlCommand command = Source.CreateCommand($"SELECT {i}");
            int result = (int)(await command.ExecuteScalarAsync())!;
            Trace.Note();
            return result;
        }
    }

    private void Execute(string sql)
    {
        using NpgsqlCommand command = Source.CreateCommand(sql);
        command.ExecuteNonQuery();
    }

    private static void InterlockedMax(ref int place, int value)
    {
        for (int seen = Volatile.Read(ref place); value > seen;)
        {
            int found = Interlocked.CompareExchange(ref place, value, seen);
            if (found == seen)
            {
                return;
            }

            seen = found;
        }
    }
}
