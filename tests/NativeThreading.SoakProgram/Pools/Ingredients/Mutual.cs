using NativeThreading.SoakProgram.Plan;
using NativeThreading.SoakProgram.Tracks;

namespace NativeThreading.SoakProgram.Pools.Ingredients;

/// <summary>Two pools that wait for each other: each item blocks until the other pool has run one, some levels deep.</summary>
internal sealed class Mutual : Ingredient
{
    public override string Name => "mutual";

    public override void Run(PoolRound round, Step step, Dice dice)
    {
        NativeThreadPool other = round.Soak.Neighbours[dice.Next(2)];
        for (int i = dice.Between(1, 2 * step.Size); i > 0; i--)
        {
            Call(round, round.Pool, other, round.Shape.MayWait ? dice.Between(1, 4) : 0);
        }
    }

    private Task? Call(PoolRound round, NativeThreadPool callee, NativeThreadPool caller, int depth) =>
        round.Follow(Name, ticket => callee.RunAsync(() => Round.Run(ticket, () =>
        {
            if (depth > 0 && Call(round, caller, callee, depth - 1) is { } inner)
            {
                try
                {
                    inner.Wait();
                }
                catch (AggregateException exception) when (round.IsExpected(exception))
                {
                }
            }
        })));
}
