using NativeThreading.SoakProgram.Plan;
using NativeThreading.SoakProgram.Tracks;

namespace NativeThreading.SoakProgram.Pools.Ingredients;

/// <summary>A small pool of its own at its limit: each item blocks until its pool has run a continuation, some levels deep. Without rescue
/// threads none of them ends. Meanwhile the pool shuts down, or a token stops it.</summary>
internal sealed class Rescues : Ingredient
{
    private const int Most = 40;

    public override string Name => "rescues";

    public override void Run(PoolRound round, Step step, Dice dice)
    {
        var pool = new NativeThreadPool(new NativeThreadPoolOptions
        {
            Name = "soak-rescue",
            MaxThreads = dice.Between(1, 2),
            MaxBlockedThreads = dice.Between(1, 4),
            MaxRescueThreads = 8 * Most, // enough for each item at each level: the soak waits for all
        });
        for (int i = Math.Min(Count(step, dice), Most); i > 0; i--)
        {
            int levels = dice.Between(1, 3);
            int microseconds = dice.Between(1, 2_000);
            round.FollowOfOther(Name, ticket => pool.RunAsync(() => Round.Run(ticket, () => LevelAsync(levels, microseconds).Wait())));
        }

        using var patience = new CancellationTokenSource();
        pool.ShutdownAsync(patience.Token);
        if (dice.OneIn(4))
        {
            patience.Cancel();
        }
    }

    private static async Task LevelAsync(int levels, int microseconds)
    {
        await Task.Delay(TimeSpan.FromMicroseconds(microseconds));
        if (levels > 1)
        {
            LevelAsync(levels - 1, microseconds).Wait();
        }
    }
}
