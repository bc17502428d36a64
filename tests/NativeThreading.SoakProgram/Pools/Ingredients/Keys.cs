using NativeThreading.SoakProgram.Plan;
using NativeThreading.SoakProgram.Tracks;

namespace NativeThreading.SoakProgram.Pools.Ingredients;

/// <summary>Items with a key, some of which await, throw or are cancelled: those of one key must not overlap.</summary>
internal sealed class Keys : Ingredient
{
    private const int KeyCount = 3;

    public override string Name => "keys";

    public override void Run(PoolRound round, Step step, Dice dice)
    {
        if (round.Shape.QueueLimit is not null)
        {
            return; // there a shutdown counts a dropped turn as one item, whatever waits for it; KeyedRaceTests has pools with a limit
        }

        int most = dice.OneIn(3) ? 2 : 1;
        var queue = new KeyedQueue<int>(round.Pool, most, limitPerKey: dice.OneIn(4) ? 20 : null, weightOf: static key => key + 1);
        var running = new int[KeyCount];
        var source = new CancellationTokenSource();
        round.Help(source.Cancel);
        for (int left = Count(step, dice); left > 0; left--)
        {
            int key = dice.Next(KeyCount);
            int burn = dice.Next(20);
            bool throws = dice.OneIn(20);
            CancellationToken token = dice.OneIn(5) ? source.Token : CancellationToken.None;
            bool yields = dice.OneIn(3);

            // A shutdown does not count items of a key as dropped.
            round.FollowOfOther(Name, ticket =>
            {
                return yields ? queue.RunAsync(key, Method, token) : queue.Run(key, Body, token);

                void Body() => Round.Run(ticket, () =>
                {
                    Enter(round, ref running[key], most);
                    SoakRun.Burn(burn);
                    Interlocked.Decrement(ref running[key]);
                    if (throws)
                    {
                        throw new SoakException();
                    }
                });

                async Task Method()
                {
                    Enter(round, ref running[key], most);
                    await Task.Yield();
                    Interlocked.Decrement(ref running[key]);
                    Body();
                }
            });
        }
    }

    private static void Enter(PoolRound round, ref int running, int most)
    {
        if (Interlocked.Increment(ref running) > most)
        {
            round.Account.Report($"keys: more than {most} items of a key ran at once");
        }
    }
}
