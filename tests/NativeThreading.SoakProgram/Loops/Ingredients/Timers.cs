using NativeThreading.SoakProgram.Accounts;
using NativeThreading.SoakProgram.Plan;

namespace NativeThreading.SoakProgram.Loops.Ingredients;

/// <summary>Timers that fire once or again and again, are armed anew, cancelled and disposed of, on the loop and outside of it.</summary>
internal sealed class Timers : LoopIngredient
{
    public override string Name => "timers";

    public override void Run(LoopRound round, Step step, Dice dice)
    {
        for (int i = Math.Min(Count(step, dice), 40); i > 0; i--)
        {
            Ticket ticket = round.Expect(Name);
            var due = TimeSpan.FromMicroseconds(dice.Next(3_000));
            int what = dice.Next(5);
            int fired = 0;
            EventLoopTimer? timer = null;
            timer = new EventLoopTimer(
                round.Loop,
                _ =>
                {
                    if (++fired == (what == 0 ? 3 : 1))
                    {
                        ticket.Run();
                        timer!.Dispose();
                    }
                },
                null);
            try
            {
                Arm(timer, what, due);
            }
            catch (ObjectDisposedException)
            {
                // The ticket lapses with the loop.
            }
        }
    }

    private static void Arm(EventLoopTimer timer, int what, TimeSpan due)
    {
        switch (what)
        {
            case 0:
                timer.Arm(due, TimeSpan.FromMicroseconds(300));
                break;
            case 1:
                timer.Arm(TimeSpan.FromHours(1));
                timer.Arm(due);
                break;
            case 2:
                timer.Arm(due);
                timer.Cancel(); // perhaps too late
                timer.Arm(due); // and if so, refused
                break;
            default:
                timer.Arm(due);
                break;
        }
    }
}
