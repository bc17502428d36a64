using NativeThreading.Tables.Soak.Plan;

namespace NativeThreading.Tables.Soak.Loops.Ingredients;

/// <summary>
/// The framework's timers over the loop's <see cref="TimeProvider"/>: nobody who awaits one is left waiting, and none fires
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
            TimeProvider time = round.Loop.TimeProvider;
            switch (dice.Next(3))
            {
                case 0:
                    round.Follow(Name, async ticket =>
                    {
                        await Task.Delay(due, time);
                        ticket.Run();
                    });
                    break;
                case 1:
                    round.Follow(Name, async ticket =>
                    {
                        using var source = new CancellationTokenSource(due, time);
                        var cancelled = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
                        await using (source.Token.UnsafeRegister(_ => cancelled.SetResult(), null))
                        {
                            await cancelled.Task;
                        }

                        ticket.Run();
                    });
                    break;
                default:
                    round.Follow(Name, ticket => DisposeAsync(round, ticket.Run, time, due));
                    break;
            }
        }
    }

    private async Task DisposeAsync(LoopRound round, Action run, TimeProvider time, TimeSpan due)
    {
        bool isDisposed = false;
        ITimer timer = time.CreateTimer(
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
