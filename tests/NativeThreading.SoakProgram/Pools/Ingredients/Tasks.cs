using NativeThreading.SoakProgram.Plan;
using NativeThreading.SoakProgram.Tracks;

namespace NativeThreading.SoakProgram.Pools.Ingredients;

/// <summary>Tasks in every form: of the factory, fair, on a thread of their own, awaited, waited for, continued, failing.</summary>
internal sealed class Tasks : Ingredient
{
    public override string Name => "tasks";

    public override void Run(PoolRound round, Step step, Dice dice)
    {
        for (int i = Count(step, dice); i > 0; i--)
        {
            Start(round, new Dice(dice.Next()), depth: 1);
        }
    }

    private Task? Start(PoolRound round, Dice dice, int depth)
    {
        NativeThreadPool pool = round.Pool;
        int form = dice.OneIn(20) ? 6 : dice.Next(6);
        return round.Follow(Name, ticket =>
        {
            void Body() => Round.Run(ticket, () => Inside(round, dice, depth));
            return form switch
            {
                0 => pool.Factory.StartNew(Body),
                1 => pool.Factory.StartNew(Body, TaskCreationOptions.PreferFairness),
                2 => pool.Run(Body),
                3 => pool.RunAsync(Body),
                4 => pool.Run(() =>
                {
                    Body();
                    return 1;
                }),
                5 => pool.Factory.StartNew(static () => { }).ContinueWith(
                    _ => Body(), CancellationToken.None, TaskContinuationOptions.None, pool.Scheduler),
                _ => pool.Factory.StartNew(Body, TaskCreationOptions.LongRunning),
            };
        });
    }

    private void Inside(PoolRound round, Dice dice, int depth)
    {
        SoakRun.Burn(dice.Next(20));
        if (depth > 0 && round.Shape.MayWait && dice.OneIn(4) && Start(round, new Dice(dice.Next()), depth - 1) is { } inner)
        {
            try
            {
                inner.Wait(); // runs it here, or blocks
            }
            catch (AggregateException exception) when (round.IsExpected(exception))
            {
            }
        }

        if (dice.OneIn(12))
        {
            throw new SoakException();
        }
    }
}
