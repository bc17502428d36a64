using NativeThreading.SoakProgram.Accounts;
using NativeThreading.SoakProgram.Plan;
using NativeThreading.SoakProgram.Tracks;

namespace NativeThreading.SoakProgram.Loops.Ingredients;

/// <summary>Callbacks, timers and handlers that throw what the loop's handler takes.</summary>
internal sealed class ThrowingCallbacks : LoopIngredient
{
    public override string Name => "throwing callbacks";

    public override void Run(LoopRound round, Step step, Dice dice)
    {
        for (int i = Math.Min(Count(step, dice), 30); i > 0; i--)
        {
            if (dice.OneIn(2))
            {
                round.Offer(Name, ticket => round.Loop.Post(_ => Round.Run(ticket, static () => throw new SoakException()), null));
                continue;
            }

            Ticket fires = round.Expect(Name);
            var timer = new EventLoopTimer(
                round.Loop,
                _ =>
                {
                    fires.Run();
                    throw new SoakException();
                },
                null);
            try
            {
                timer.Arm(TimeSpan.FromMicroseconds(dice.Next(1_000)));
            }
            catch (ObjectDisposedException)
            {
                // The ticket lapses with the loop.
            }
        }
    }
}
