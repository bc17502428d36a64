using NativeThreading.Tests.Support;

namespace NativeThreading.Tests.Async;

/// <summary>What an await costs on a pool beside what it costs anywhere.</summary>
public sealed class AwaitCostTests : IDisposable
{
    private const int Rounds = 10_000;
    private const int Context = 24; // an object with one reference
    private const int CarrierShare = 16; // of a task for all resumptions between two looks at other queues

    private readonly NativeThreadPool _pool = Pools.WithThreads(1);

    public void Dispose() => _pool.Dispose();

    [Fact]
    public async Task Yield_AllocatesAContextAndAShareOfACarrier()
    {
        await BytesPerRoundAsync(Rounds); // and the queues have grown
        Assert.InRange(await BytesPerRoundAsync(Rounds), Context, Context + CarrierShare);
    }

    private Task<double> BytesPerRoundAsync(int rounds) => Deadline.For(_pool.Run(async () =>
    {
        await Task.Yield();
        long before = GC.GetAllocatedBytesForCurrentThread();
        for (int i = 0; i < rounds; i++)
        {
            await Task.Yield();
        }

        return (GC.GetAllocatedBytesForCurrentThread() - before) / (double)rounds;
    }));
}
