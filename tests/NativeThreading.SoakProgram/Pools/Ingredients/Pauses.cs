using NativeThreading.SoakProgram.Plan;

namespace NativeThreading.SoakProgram.Pools.Ingredients;

/// <summary>Pauses while items are queued, run, and end with their pool. The last pause has its end.</summary>
internal sealed class Pauses : Ingredient
{
    public override string Name => "pauses";

    public override void Run(PoolRound round, Step step, Dice dice)
    {
        var own = new Dice(dice.Next());
        round.Help(() =>
        {
            for (int left = own.Between(1, 20); left > 0; left--)
            {
                round.Pool.Pause();
                SoakRun.Burn(own.Next(200));
                round.Pool.Resume();
                SoakRun.Burn(own.Next(200));
            }
        });
        for (int i = Count(step, dice); i > 0; i--)
        {
            var item = new Dice(dice.Next());
            round.Queue(item.Next(PoolRound.Forms), Name, () =>
            {
                if (item.OneIn(2))
                {
                    round.Queue(item.Next(PoolRound.Forms), Name, static () => SoakRun.Burn(5));
                }
            });
        }
    }
}
