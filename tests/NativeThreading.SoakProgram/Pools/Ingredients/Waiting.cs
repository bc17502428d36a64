using NativeThreading.SoakProgram.Plan;
using NativeThreading.SoakProgram.Tracks;

namespace NativeThreading.SoakProgram.Pools.Ingredients;

/// <summary><c>QueueAsync</c>: callers wait for a permit without a thread, some give up, and the pool may end meanwhile.</summary>
internal sealed class Waiting : Ingredient
{
    public override string Name => "waiting";

    public override void Run(PoolRound round, Step step, Dice dice)
    {
        for (int i = Count(step, dice); i > 0; i--)
        {
            var source = new CancellationTokenSource();
            int burn = dice.Next(20);
            bool hasState = dice.OneIn(2);

            // The task tells that the item was accepted; the item is still to come then.
            round.FollowAcceptance(Name, ticket =>
            {
                void Item() => Round.Run(ticket, () => SoakRun.Burn(burn));
                return hasState
                    ? round.Pool.QueueAsync(static item => item(), Item, source.Token).AsTask()
                    : round.Pool.QueueAsync(_ => Item(), null, source.Token).AsTask();
            });
            if (dice.OneIn(3))
            {
                source.Cancel();
            }
        }
    }
}
