using NativeThreading.SoakProgram.Plan;
using NativeThreading.SoakProgram.Tracks;

namespace NativeThreading.SoakProgram.Loops.Ingredients;

/// <summary><c>InvokeAsync</c> of actions and async methods that yield, wait, leave the loop and come back, fail, or are cancelled.</summary>
internal sealed class Invocations : LoopIngredient
{
    public override string Name => "invocations";

    public override void Run(LoopRound round, Step step, Dice dice)
    {
        for (int i = Count(step, dice); i > 0; i--)
        {
            var own = new Dice(dice.Next());
            if (round.IsNeverStopped && dice.OneIn(4))
            {
                using var source = new CancellationTokenSource();
                round.Follow(Name, ticket => round.Loop.InvokeAsync(() => Round.Run(ticket, static () => SoakRun.Burn(5)), source.Token));
                source.Cancel();
            }
            else
            {
                bool isAsync = dice.OneIn(2);
                round.FollowDroppable(Name, ticket => isAsync
                    ? round.Loop.InvokeAsync(() => MethodAsync(round, ticket.Run, own))
                    : round.Loop.InvokeAsync(() => Round.Run(ticket, () => Fail(own))));
            }
        }
    }

    private static async Task MethodAsync(LoopRound round, Action begin, Dice dice)
    {
        begin();
        for (int i = dice.Between(1, 3); i > 0; i--)
        {
            switch (dice.Next(5))
            {
                case 0:
                    await Task.Delay(dice.Next(3), CancellationToken.None);
                    break;
                case 1:
                    await Task.Delay(TimeSpan.FromMicroseconds(dice.Next(2_000)), round.Loop.TimeProvider);
                    break;
                case 2:
                    await round.Soak.Neighbours[dice.Next(2)].Run(static () => SoakRun.Burn(5));
                    break;
                default:
                    await Task.Yield();
                    break;
            }
        }

        Fail(dice);
    }

    private static void Fail(Dice dice)
    {
        if (dice.OneIn(10))
        {
            throw new SoakException();
        }
    }
}
