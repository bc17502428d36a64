using NativeThreading.SoakProgram.Plan;
using NativeThreading.SoakProgram.Tracks;

namespace NativeThreading.SoakProgram.Pools.Ingredients;

/// <summary>A small pool of its own that bounds operations in flight. Some fail, some are cancelled while they wait. Meanwhile the pool shuts down, or a
/// token stops it.</summary>
internal sealed class BoundedOperations : Ingredient
{
    public override string Name => "bounded operations";

    public override void Run(PoolRound round, Step step, Dice dice)
    {
        int most = dice.Between(1, 3);
        var pool = new NativeThreadPool(new NativeThreadPoolOptions
        {
            Name = "soak-bounded",
            MaxThreads = dice.Between(1, 2),
            MaxConcurrentOperations = most,
            QueueLimit = dice.OneIn(3) ? dice.Of(1, 7) : null,
            QueueFullMode = dice.Of(QueueFullMode.Reject, QueueFullMode.Wait),
        });
        using var cancellation = new CancellationTokenSource();
        int inFlight = 0;
        for (int i = Count(step, dice); i > 0; i--)
        {
            CancellationToken token = dice.OneIn(4) ? cancellation.Token : CancellationToken.None;
            int microseconds = dice.Next(300);
            bool fails = dice.OneIn(10);
            round.FollowOfOther(Name, ticket => pool.RunAsync(
                async () =>
                {
                    if (Interlocked.Increment(ref inFlight) > most)
                    {
                        round.Account.Report($"{Name}: more than {most} were in flight");
                    }

                    Round.Run(ticket, static () => SoakRun.Burn(5));
                    await Task.Delay(TimeSpan.FromMicroseconds(microseconds), pool.TimeProvider);
                    Interlocked.Decrement(ref inFlight);
                    if (fails)
                    {
                        throw new SoakException();
                    }
                },
                token));
        }

        cancellation.Cancel();
        using var patience = new CancellationTokenSource();
        pool.ShutdownAsync(patience.Token);
        if (dice.OneIn(3))
        {
            patience.Cancel();
        }
    }
}
