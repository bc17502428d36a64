using NativeThreading.Integration.Servers;
using StackExchange.Redis;

namespace NativeThreading.Integration.Redis;

/// <summary>A thousand operations over one connection.</summary>
public sealed class RedisCommandTests(RedisServer server) : RedisTest(server)
{
    [Fact]
    public async Task T109_ThousandOperations_EachHappensOnceAndEveryAwaitResumesOnThePool()
    {
        int[] values = await Pool.StormAsync(Operations, async i =>
        {
            Assert.True(await Database.StringSetAsync($"key{i}", i));
            Trace.Note();
            await Database.StringIncrementAsync("sum", i);
            Trace.Note();
            await Database.ListRightPushAsync("list", i);
            Trace.Note();
            int value = (int)await Database.StringGetAsync($"key{i}");
            Trace.Note();
            return value;
        });
        Assert.Equal(Enumerable.Range(0, Operations), values);
        Assert.Equal(Operations * (Operations - 1) / 2, (int)Database.StringGet("sum"));
        Assert.Equal(Enumerable.Range(0, Operations), Database.ListRange("list").Select(value => (int)value).Order());
        Trace.AssertOnThePool(4 * Operations);
    }

    [Fact]
    public async Task Transactions_EndOnThePool()
    {
        bool[] committed = await Pool.StormAsync(Operations, async i =>
        {
            ITransaction transaction = Database.CreateTransaction();
            Task<long> hits = transaction.StringIncrementAsync("hits");
            Task<bool> set = transaction.HashSetAsync("members", i, "in");
            bool done = await transaction.ExecuteAsync();
            Trace.Note();
            Assert.True(await hits > 0);
            Assert.True(await set);
            Trace.Note();
            return done;
        });
        Assert.All(committed, Assert.True);
        Assert.Equal((Operations, (long)Operations), ((int)Database.StringGet("hits"), Database.HashLength("members")));
        Trace.AssertOnThePool(2 * Operations);
    }

    [Fact]
    public async Task BlockingCalls_RunOnThePoolEachOnce()
    {
        Task[] calls = [.. Enumerable.Range(0, Operations).Select(i => Pool.Run(() =>
        {
            Database.StringIncrement("calls");
            Trace.Note();
        }))];
        await Deadline.For(Task.WhenAll(calls));
        Assert.Equal(Operations, (int)Database.StringGet("calls"));
        Trace.AssertOnThePool(Operations);
    }

    [Fact]
    public async Task SubscribersCallbacks_HandOverToThePool()
    {
        var ledger = new Ledger(Operations);
        using var heard = new CountdownEvent(Operations);
        ISubscriber subscriber = Connection.GetSubscriber();
        await Deadline.For(subscriber.SubscribeAsync("news", (_, message) => Pool.QueueUserWorkItem(
            i =>
            {
                Trace.NoteThread();
                ledger.Enter(i);
                heard.Signal();
            },
            (int)message,
            preferLocal: false)));
        await Pool.StormAsync(Operations, i => subscriber.PublishAsync("news", i));
        Deadline.Wait(heard);
        await Deadline.For(subscriber.UnsubscribeAsync("news"));
        ledger.AssertEachOnce();
        Trace.AssertOnThePool(Operations);
    }

    [Fact]
    public Task RepeatedRounds_LeaveNothingBehind() => Growth.AssertNoneAsync(Operations, held => Pool.StormAsync(held.Length, async i =>
    {
        object token = held[i];
        await Database.StringSetAsync("same", i);
        await Database.StringGetAsync("same");
        GC.KeepAlive(token);
    }));
}
