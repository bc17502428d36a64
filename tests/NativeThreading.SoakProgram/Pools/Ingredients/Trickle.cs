using NativeThreading.SoakProgram.Plan;

namespace NativeThreading.SoakProgram.Pools.Ingredients;

/// <summary>Items with pauses between them, in which workers linger, park and retire.</summary>
internal sealed class Trickle : Ingredient
{
    public override string Name => "trickle";

    public override void Run(PoolRound round, Step step, Dice dice)
    {
        for (int i = step.Size * dice.Between(1, 4); i > 0; i--)
        {
            round.Queue(dice.Next(PoolRound.Forms), Name, static () => { });
            switch (dice.Next(3))
            {
                case 0:
                    SoakRun.Burn(dice.Next(200));
                    break;
                case 1:
                    Thread.Sleep(0);
                    break;
                default:
                    Thread.Sleep(TimeSpan.FromMicroseconds(dice.Between(100, 2_000)));
                    break;
            }
        }
    }
}
