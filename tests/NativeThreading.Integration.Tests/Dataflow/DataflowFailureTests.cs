using System.Threading.Tasks.Dataflow;

namespace NativeThreading.Integration.Dataflow;

/// <summary>Blocks that fail and blocks that are cancelled.</summary>
public sealed class DataflowFailureTests : DataflowTest
{
    [Fact]
    public async Task Exception_FaultsTheBlocksBehindToo()
    {
        var transform = new TransformBlock<int, int>(i => i == 500 ? throw new InvalidTimeZoneException("500") : i, OnPool(1));
        var ledger = new Ledger(Operations);
        var end = new ActionBlock<int>(ledger.Enter, OnPool(1));
        transform.LinkTo(end, Propagate);
        for (int i = 0; i < Operations; i++)
        {
            transform.Post(i); // refused once the block has failed
        }

        var thrown = await Assert.ThrowsAsync<AggregateException>(() => Deadline.For(end.Completion));
        Assert.Equal("500", Assert.IsType<InvalidTimeZoneException>(thrown.Flatten().InnerException).Message);
        Assert.False(transform.Post(1_000));
        Assert.InRange(ledger.CountAtMostOnce(), 0, 500);
    }

    [Fact]
    public async Task AsyncException_FaultsTheBlock()
    {
        var block = new ActionBlock<int>(
            async _ =>
            {
                await Task.Yield();
                Trace.Note();
                throw new InvalidTimeZoneException("mine");
            },
            OnPool(1));
        block.Post(1);
        Assert.Equal("mine", (await Assert.ThrowsAsync<InvalidTimeZoneException>(() => Deadline.For(block.Completion))).Message);
        Trace.AssertOnThePool(1);
    }

    [Fact]
    public async Task Cancellation_EndsTheBlockAndWhoeverWaitsToSend()
    {
        using var cancellation = new CancellationTokenSource();
        using var entered = new ManualResetEventSlim();
        ExecutionDataflowBlockOptions options = OnPool(1, capacity: 1);
        options.CancellationToken = cancellation.Token;
        var block = new ActionBlock<int>(
            async _ =>
            {
                entered.Set();
                await Assert.ThrowsAnyAsync<OperationCanceledException>(() => Task.Delay(Timeout.Infinite, cancellation.Token));
                Trace.Note();
            },
            options);
        Task<bool[]> senders = Pool.StormAsync(Operations, i => block.SendAsync(i));
        Deadline.Wait(entered);
        await cancellation.CancelAsync();
        Assert.Equal(1, (await senders).Count(taken => taken));
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => Deadline.For(block.Completion));
        Trace.AssertOnThePool(1);
    }
}
