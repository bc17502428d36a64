using NativeThreading.SoakProgram.Plan;

namespace NativeThreading.SoakProgram.Pools.Ingredients;

/// <summary>Several threads queue at once, also while the pool ends.</summary>
internal sealed class Producers : Ingredient
{
    public override string Name => "producers";

    public override void Run(PoolRound round, Step step, Dice dice)
    {
        for (int i = dice.Between(1, 2); i > 0; i--)
        {
            int items = 2 * Count(step, dice);
            var own = new Dice(dice.Next());
            round.Help(() => Produce(round, items, own));
        }
    }

    private void Produce(PoolRound round, int items, Dice dice)
    {
        bool isAccepted = true;
        for (int i = 0; i < items && (isAccepted || i < 20); i++)
        {
            isAccepted = round.Queue(dice.Next(PoolRound.Forms), Name, static () => SoakRun.Burn(3));
            if (dice.OneIn(20))
            {
                Thread.Yield(); // lets the workers run dry now and then
            }
        }
    }
}
