using NativeThreading.SoakProgram.Plan;
using NativeThreading.SoakProgram.Tracks;

namespace NativeThreading.SoakProgram.Pools.Ingredients;

/// <summary>Items that hand over to each other through another pool, each by another way of waking.</summary>
internal sealed class PingPong : Ingredient
{
    public override string Name => "ping-pong";

    public override void Run(PoolRound round, Step step, Dice dice)
    {
        int trips = step.Size * dice.Between(1, 10);
        NativeThreadPool other = round.Soak.Neighbours[dice.Next(2)];
        Trip(round, other, new Dice(dice.Next()), trips);
    }

    private void Trip(PoolRound round, NativeThreadPool other, Dice dice, int trips) =>
        round.Queue(dice.Next(PoolRound.Forms), Name, () =>
        {
            if (trips > 0)
            {
                round.Offer(Name, ticket => other.UnsafeQueueUserWorkItem(
                    _ => Round.Run(ticket, () => Trip(round, other, dice, trips - 1)), null));
            }
        });
}
