using NativeThreading.SoakProgram.Plan;

namespace NativeThreading.SoakProgram.Loops.Ingredients;

/// <summary>Several threads post at once, also while the loop ends.</summary>
internal sealed class PostingThreads : LoopIngredient
{
    public override string Name => "posting threads";

    public override void Run(LoopRound round, Step step, Dice dice)
    {
        for (int i = dice.Between(1, 2); i > 0; i--)
        {
            int posts = 3 * Count(step, dice);
            var own = new Dice(dice.Next());
            round.Help(() =>
            {
                bool isAccepted = true;
                for (int i = 0; i < posts && (isAccepted || i < 20); i++)
                {
                    isAccepted = Posts.Post(round, own.Next(2), new Dice(own.Next()), depth: 0, Name);
                    if (own.OneIn(20))
                    {
                        Thread.Yield(); // lets the loop fall asleep now and then
                    }
                }
            });
        }
    }
}
