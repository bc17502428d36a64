using NativeThreading.SoakProgram.Plan;

namespace NativeThreading.SoakProgram.Pools.Ingredients;

/// <summary>Raw items in every form, from outside and from items, local and global.</summary>
internal sealed class RawItems : Ingredient
{
    public override string Name => "items";

    public override void Run(PoolRound round, Step step, Dice dice)
    {
        for (int i = Count(step, dice); i > 0; i--)
        {
            Queue(round, new Dice(dice.Next()), depth: dice.Next(3));
        }
    }

    private void Queue(PoolRound round, Dice dice, int depth) => round.Queue(dice.Next(PoolRound.Forms), Name, () =>
    {
        SoakRun.Burn(dice.Next(30));
        for (int i = dice.Next(3); i > 0 && depth > 0; i--)
        {
            Queue(round, new Dice(dice.Next()), depth - 1);
        }
    });
}
