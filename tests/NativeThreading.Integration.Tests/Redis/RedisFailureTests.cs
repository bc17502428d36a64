using NativeThreading.Integration.Servers;
using StackExchange.Redis;

namespace NativeThreading.Integration.Redis;

/// <summary>Refused commands, abandoned waits, lost connections.</summary>
public sealed class RedisFailureTests(RedisServer server) : RedisTest(server)
{
    [Fact]
    public async Task ErrorsOfTheServer_AreThrownAtTheAwaitOnThePool()
    {
        Database.StringSet("text", "a");
        await Pool.StormAsync(Operations, async _ =>
        {
            var exception = await Assert.ThrowsAsync<RedisServerException>(() => Database.ListLengthAsync("text"));
            Trace.Note();
            Assert.StartsWith("WRONGTYPE", exception.Message, StringComparison.Ordinal);
        });
        Trace.AssertOnThePool(Operations);
    }

    [Fact]
    public async Task UncaughtErrors_ComeOutOfRun()
    {
        Database.StringSet("text", "a");
        await Assert.ThrowsAsync<RedisServerException>(() => Deadline.For(Pool.Run(async () => await Database.ListLengthAsync("text"))));
    }

    /// <summary>The library takes no tokens: the wait is what is cancelled.</summary>
    [Fact]
    public async Task CancelledWaits_ResumeOnThePoolAndTheCommandsHappenAllTheSame()
    {
        using var cancellation = new CancellationTokenSource();
        using ConnectionMultiplexer connection = await Deadline.For(RedisServer.ConnectAsync(EndPoint));
        IDatabase database = connection.GetDatabase();
        await Deadline.For(Database.ExecuteAsync("CLIENT", "PAUSE", "60000", "WRITE"));
        Task<Task<long>[]> waits;
        using (var started = new CountdownEvent(Operations))
        {
            waits = Pool.StormAsync(Operations, async _ =>
            {
                Task<long> increment = database.StringIncrementAsync("paused");
                started.Signal();
                await Assert.ThrowsAnyAsync<OperationCanceledException>(() => increment.WaitAsync(cancellation.Token));
                Trace.Note();
                return increment;
            });
            Deadline.Wait(started);
        }

        await cancellation.CancelAsync();
        Task<long>[] increments = await waits;
        await Deadline.For(Database.ExecuteAsync("CLIENT", "UNPAUSE"));
        Assert.Equal(Enumerable.Range(1, Operations), (await Deadline.For(Task.WhenAll(increments))).Select(value => (int)value).Order());
        await Deadline.For(connection.CloseAsync(allowCommandsToComplete: false));
        Trace.AssertOnThePool(Operations);
    }

    [Fact]
    public async Task LostConnection_EndsEveryOperationOnThePool()
    {
        using ConnectionMultiplexer connection = await Deadline.For(RedisServer.ConnectAsync(EndPoint));
        IDatabase database = connection.GetDatabase();
        await Deadline.For(Database.ExecuteAsync("CLIENT", "PAUSE", "60000", "WRITE"));
        Task<bool[]> outcomes;
        using (var started = new CountdownEvent(Operations))
        {
            outcomes = Pool.StormAsync(Operations, async _ =>
            {
                Task<bool> pending = Survives(database.StringIncrementAsync("lost"));
                started.Signal();
                bool survived = await pending;
                Trace.Note();
                return survived;
            });
            Deadline.Wait(started);
        }

        await Deadline.For(connection.CloseAsync(allowCommandsToComplete: false));
        bool[] survived = await outcomes;
        Assert.All(survived, Assert.False);
        await Deadline.For(Database.ExecuteAsync("CLIENT", "UNPAUSE"));
        Trace.AssertOnThePool(2 * Operations);

        async Task<bool> Survives(Task operation)
        {
            try
            {
                await operation;
                return true;
            }
            catch (Exception exception) when (exception is RedisConnectionException or ObjectDisposedException or OperationCanceledException)
            {
                return false;
            }
            finally
            {
                Trace.Note();
            }
        }
    }
}
