using NativeThreading.SoakProgram.Plan;
using NativeThreading.SoakProgram.Tracks;

namespace NativeThreading.SoakProgram.Pools.Ingredients;

/// <summary>The loops of the pool, called from outside and by items. A helper that a shutdown drops is no work of the account.</summary>
internal sealed class PoolLoops : Ingredient
{
    public override string Name => "loops";

    public override void Run(PoolRound round, Step step, Dice dice)
    {
        int count = Count(step, dice);
        int throwsAt = dice.OneIn(4) ? dice.Next(count) : -1;
        switch (dice.Next(3))
        {
            case 0:
                round.Offer(Name, ticket =>
                {
                    Action check = Loop(round, count, throwsAt); // rejected before its first iteration, or not at all
                    Round.Run(ticket, check);
                });
                break;
            case 1:
                round.Follow(Name, ticket => round.Pool.RunAsync(() => Round.Run(ticket, () => Loop(round, count, throwsAt)())));
                break;
            default:
                int started = 0;
                round.Follow(Name, ticket => round.Pool.ForEachAsync(
                    Enumerable.Range(0, count),
                    maxConcurrency: 1, // a shutdown counts each worker of the loop
                    async (_, _) =>
                    {
                        if (started++ == 0)
                        {
                            Round.Run(ticket, static () => SoakRun.Burn(5));
                        }

                        await Task.Yield();
                    }));
                break;
        }
    }

    /// <summary>Runs a loop, and returns what checks its sum.</summary>
    private Action Loop(PoolRound round, int count, int throwsAt)
    {
        long sum = 0;
        bool hasThrown = false;
        try
        {
            round.Pool.For(0, count, i =>
            {
                Interlocked.Add(ref sum, i);
                if (i == throwsAt)
                {
                    throw new SoakException();
                }
            });
        }
        catch (AggregateException exception) when (exception.InnerExceptions.All(static inner => inner is SoakException))
        {
            hasThrown = true;
        }

        return () =>
        {
            if (hasThrown != throwsAt >= 0 || (!hasThrown && sum != (long)count * (count - 1) / 2))
            {
                round.Account.Report($"{Name}: a loop over {count} numbers added up to {sum}, and {(hasThrown ? "has" : "has not")} thrown");
            }
        };
    }
}
