using NativeThreading.SoakProgram.Plan;
using NativeThreading.SoakProgram.Tracks;

namespace NativeThreading.SoakProgram.Pools.Ingredients;

/// <summary>Waits inside of waits, as deep as small stacks allow and deeper: the workers help until there is no stack left.</summary>
internal sealed class Deep : Ingredient
{
    public override string Name => "deep";

    public override void Run(PoolRound round, Step step, Dice dice)
    {
        int depth = step.Size * dice.Between(10, 120);
        bool tasks = round.Shape.MayWait && dice.OneIn(2);
        round.Queue(0, Name, () => Descend(round, depth, tasks));
    }

    private void Descend(PoolRound round, int depth, bool tasks)
    {
        if (depth == 0 || round.IsEnding) // what a stopped pool leaves to the runtime's would starve that for minutes
        {
            return;
        }

        try
        {
            if (tasks)
            {
                round.Follow(Name, ticket => round.Pool.Factory.StartNew(() => Round.Run(ticket, () => Descend(round, depth - 1, tasks))))?.Wait();
                return;
            }

            var group = new WorkGroup(round.Pool);
            round.Offer(Name, ticket => group.Queue(_ => Round.Run(ticket, () => Descend(round, depth - 1, tasks)), 0));
            group.Wait();
        }
        catch (InsufficientExecutionStackException)
        {
            // Every thread there may be waits as deep: the innermost waits throw, and the others continue.
        }
        catch (Exception exception) when (round.IsExpected(exception))
        {
        }
    }
}
