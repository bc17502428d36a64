using NativeThreading.SoakProgram.Plan;
using NativeThreading.SoakProgram.Tracks;

namespace NativeThreading.SoakProgram.Loops.Ingredients;

/// <summary>Callbacks in every form, from outside and from callbacks.</summary>
internal sealed class Posts : LoopIngredient
{
    private const int Forms = 4;

    public override string Name => "posts";

    public override void Run(LoopRound round, Step step, Dice dice)
    {
        for (int i = Count(step, dice); i > 0; i--)
        {
            Post(round, dice.Next(Forms), new Dice(dice.Next()), depth: dice.Next(3), Name);
        }
    }

    /// <summary>Posts one callback, which posts others.</summary>
    public static bool Post(LoopRound round, int form, Dice dice, int depth, string kind) => round.Offer(kind, ticket =>
    {
        void Item() => Round.Run(ticket, () =>
        {
            SoakRun.Burn(dice.Next(10));
            for (int i = dice.Next(3); i > 0 && depth > 0; i--)
            {
                Post(round, dice.Next(Forms), new Dice(dice.Next()), depth - 1, kind);
            }
        });

        switch (form)
        {
            case 0:
                round.Loop.Post(_ => Item(), null);
                break;
            case 1:
                round.Loop.UnsafePost(_ => Item(), null);
                break;
            case 2:
                round.Loop.SynchronizationContext.Post(_ => Item(), null); // never refused, and never dropped
                break;
            default:
                Task.Factory.StartNew(Item, CancellationToken.None, TaskCreationOptions.None, round.Loop.Scheduler); // nor this
                break;
        }
    });
}
