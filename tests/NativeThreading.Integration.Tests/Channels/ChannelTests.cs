using System.Threading.Channels;

namespace NativeThreading.Integration.Channels;

/// <summary>Producers and consumers on the pool.</summary>
public sealed class ChannelTests : PoolTest
{
    private const int Producers = 20;

    private readonly Ledger _ledger = new(Operations);

    public static TheoryData<string> Kinds() => ["unbounded", "bounded", "rendezvous-like", "synchronous", "prioritized"];

    [Theory]
    [MemberData(nameof(Kinds))]
    public async Task ProducersAndConsumers_HandOverEachItemOnceOnThePool(string kind)
    {
        Channel<int> channel = Create(kind);
        Task consumers = Pool.StormAsync(Producers, async _ =>
        {
            await foreach (int i in channel.Reader.ReadAllAsync())
            {
                Trace.Note();
                _ledger.Enter(i);
                await Task.Yield();
            }
        });
        await Pool.StormAsync(Producers, async producer =>
        {
            for (int i = producer; i < Operations; i += Producers)
            {
                await channel.Writer.WriteAsync(i);
                Trace.Note();
            }
        });
        channel.Writer.Complete();
        await consumers;
        _ledger.AssertEachOnce();
        Trace.AssertOnThePool(2 * Operations);
    }

    [Fact]
    public async Task T109_ThousandWaitingReaders_EachGetOneItemAndResumeOnThePool()
    {
        var channel = Channel.CreateUnbounded<int>();
        using var waiting = new CountdownEvent(Operations);
        Task readers = Pool.StormAsync(Operations, async _ =>
        {
            ValueTask<int> read = channel.Reader.ReadAsync();
            Assert.False(read.IsCompleted);
            waiting.Signal();
            _ledger.Enter(await read);
            Trace.Note();
        });
        Deadline.Wait(waiting);
        for (int i = 0; i < Operations; i++)
        {
            Assert.True(channel.Writer.TryWrite(i));
        }

        await readers;
        _ledger.AssertEachOnce();
        Trace.AssertOnThePool(Operations);
    }

    [Fact]
    public async Task OneProducerAndOneConsumer_KeepTheOrder()
    {
        var channel = Channel.CreateBounded<int>(new BoundedChannelOptions(2) { SingleReader = true, SingleWriter = true });
        Task<List<int>> consumer = Pool.Run(async () =>
        {
            List<int> read = [];
            while (await channel.Reader.WaitToReadAsync())
            {
                Trace.Note();
                while (channel.Reader.TryRead(out int i))
                {
                    read.Add(i);
                }
            }

            return read;
        });
        await Deadline.For(Pool.Run(async () =>
        {
            for (int i = 0; i < Operations; i++)
            {
                await channel.Writer.WriteAsync(i);
            }

            channel.Writer.Complete();
        }));
        Assert.Equal(Enumerable.Range(0, Operations), await Deadline.For(consumer));
    }

    [Fact]
    public async Task PingPong_NeedsOneThreadOnly()
    {
        using var pool = new NativeThreadPool(new NativeThreadPoolOptions { MaxThreads = 1, MaxBlockedThreads = 0 });
        var ping = Channel.CreateUnbounded<int>();
        var pong = Channel.CreateUnbounded<int>();
        Task echo = pool.Run(async () =>
        {
            await foreach (int i in ping.Reader.ReadAllAsync())
            {
                await pong.Writer.WriteAsync(i + 1);
            }
        });
        Assert.Equal(Operations, await Deadline.For(pool.Run(async () =>
        {
            int value = 0;
            while (value < Operations)
            {
                await ping.Writer.WriteAsync(value);
                value = await pong.Reader.ReadAsync();
            }

            return value;
        })));
        ping.Writer.Complete();
        await Deadline.For(echo);
    }

    [Fact]
    public async Task WritersException_ReachesEveryReaderOnThePool()
    {
        var channel = Channel.CreateUnbounded<int>();
        using var waiting = new CountdownEvent(Operations);
        Task readers = Pool.StormAsync(Operations, async _ =>
        {
            Task<int> read = channel.Reader.ReadAsync().AsTask();
            waiting.Signal();
            ChannelClosedException closed = await Assert.ThrowsAsync<ChannelClosedException>(() => read);
            Trace.Note();
            Assert.IsType<InvalidTimeZoneException>(closed.InnerException);
        });
        Deadline.Wait(waiting);
        channel.Writer.Complete(new InvalidTimeZoneException());
        await readers;
        Trace.AssertOnThePool(Operations);
    }

    [Fact]
    public async Task CancelledReadsAndWrites_LoseNoItem()
    {
        var channel = Channel.CreateBounded<int>(1);
        Assert.True(channel.Writer.TryWrite(-1));
        using var cancellation = new CancellationTokenSource();
        using var waiting = new CountdownEvent(Operations);
        Task<bool[]> writers = Pool.StormAsync(Operations, async i =>
        {
            ValueTask write = channel.Writer.WriteAsync(i, i % 2 == 0 ? cancellation.Token : CancellationToken.None);
            waiting.Signal();
            try
            {
                await write;
                Trace.Note();
                return true;
            }
            catch (OperationCanceledException)
            {
                Trace.Note();
                return false;
            }
        });
        Deadline.Wait(waiting);
        await cancellation.CancelAsync();
        Assert.Equal(-1, await Deadline.For(channel.Reader.ReadAsync().AsTask()));
        for (int i = 0; i < Operations / 2; i++)
        {
            _ledger.Enter(await Deadline.For(channel.Reader.ReadAsync().AsTask()));
        }

        bool[] written = await writers;
        Assert.Equal(Enumerable.Range(0, Operations).Select(i => i % 2 != 0), written);
        Assert.Equal(Operations / 2, _ledger.CountAtMostOnce());
        Assert.False(channel.Reader.TryRead(out _));
        Trace.AssertOnThePool(Operations);
    }

    [Fact]
    public Task RepeatedRounds_LeaveNothingBehind() => Growth.AssertNoneAsync(Operations, async held =>
    {
        var channel = Channel.CreateBounded<object>(10);
        Task consumers = Pool.StormAsync(4, async _ =>
        {
            await foreach (object token in channel.Reader.ReadAllAsync())
            {
                GC.KeepAlive(token);
            }
        });
        await Pool.StormAsync(held.Length, async i => await channel.Writer.WriteAsync(held[i]));
        channel.Writer.Complete();
        await consumers;
    });

    private static Channel<int> Create(string kind) => kind switch
    {
        "unbounded" => Channel.CreateUnbounded<int>(),
        "bounded" => Channel.CreateBounded<int>(16),
        "rendezvous-like" => Channel.CreateBounded<int>(1),
        "synchronous" => Channel.CreateUnbounded<int>(new UnboundedChannelOptions { AllowSynchronousContinuations = true }),
        "prioritized" => Channel.CreateUnboundedPrioritized<int>(),
        _ => throw new ArgumentOutOfRangeException(nameof(kind), kind, null),
    };
}
