using NativeThreading.Tests.Support;

namespace NativeThreading.Tests.Tasks;

/// <summary>What an await costs on a pool, compared with its cost anywhere.</summary>
public sealed class AwaitCostTests : IDisposable
{
    private const int Rounds = 10_000;

    private readonly NativeThreadPool _pool = Pools.WithThreads(1);

    public void Dispose() => _pool.Dispose();

    [Fact]
    public async Task Yield_AllocatesNothing()
    {
        await BytesPerRoundAsync(Rounds); // and the queues have grown
        Assert.InRange(await BytesPerRoundAsync(Rounds), 0, 1);
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
