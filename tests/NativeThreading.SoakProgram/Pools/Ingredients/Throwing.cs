using NativeThreading.SoakProgram.Plan;

namespace NativeThreading.SoakProgram.Pools.Ingredients;

/// <summary>Raw items that throw what the pool's handler takes; what they had queued by then runs.</summary>
internal sealed class Throwing : Ingredient
{
    public override string Name => "throwing";

    public override void Run(PoolRound round, Step step, Dice dice)
    {
        for (int i = Math.Min(Count(step, dice), 60); i > 0; i--)
        {
            int inner = dice.Next(PoolRound.Forms);
            bool queues = dice.OneIn(3);
            round.Queue(dice.Next(PoolRound.Forms), Name, () =>
            {
                if (queues)
                {
                    round.Queue(inner, Name, static () => { });
                }

                throw new SoakException();
            });
        }
    }
}
