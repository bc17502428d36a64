using NativeThreading.SoakProgram.Accounts;
using NativeThreading.SoakProgram.Plan;

namespace NativeThreading.SoakProgram.Loops.Ingredients;

/// <summary>
/// The framework's timers over the loop's <see cref="TimeProvider"/>: each await of one completes, and none fires
/// that was disposed of.
/// </summary>
internal sealed class Delays : LoopIngredient
{
    public override string Name => "delays";

    public override void Run(LoopRound round, Step step, Dice dice)
    {
        for (int i = Math.Min(Count(step, dice), 30); i > 0; i--)
        {
            var due = TimeSpan.FromMicroseconds(dice.Next(3_000));
            switch (dice.Next(3))
            {
                case 0:
                    Delay(round, due);
                    break;
                case 1:
                    Cancel(round, due);
                    break;
                default:
                    round.Follow(Name, ticket => DisposeAsync(round, ticket.Run, due));
                    break;
            }
        }
    }

    /// <summary>As an operation of the loop, which waits for it; outside of one, the loop's end is the timer's.</summary>
    private void Delay(LoopRound round, TimeSpan due) => round.FollowDroppable(Name, ticket => round.Loop.InvokeAsync(async () =>
    {
        ticket.Run();
        await Task.Delay(due, round.Loop.TimeProvider);
        if (due > TimeSpan.FromMilliseconds(1))
        {
            using var ticks = new PeriodicTimer(TimeSpan.FromMilliseconds(1), round.Loop.TimeProvider);
            await ticks.WaitForNextTickAsync();
        }
    }));

    private void Cancel(LoopRound round, TimeSpan due)
    {
        Ticket ticket = round.Expect(Name);
        var source = round.Own(new CancellationTokenSource(due, round.Loop.TimeProvider));
        source.Token.UnsafeRegister(_ => ticket.TryRun(), null); // if the loop is ending, the built-in timers have the time
    }

    private async Task DisposeAsync(LoopRound round, Action run, TimeSpan due)
    {
        bool isDisposed = false;
        ITimer timer = round.Loop.TimeProvider.CreateTimer(
            _ =>
            {
                if (Volatile.Read(ref isDisposed))
                {
                    round.Account.Report($"{Name}: a timer fired that had been disposed of");
                }
            },
            null,
            due,
            TimeSpan.FromMilliseconds(1));
        await Task.Yield();
        await timer.DisposeAsync();
        Volatile.Write(ref isDisposed, true);
        run();
    }
}
