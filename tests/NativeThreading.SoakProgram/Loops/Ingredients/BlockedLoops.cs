using NativeThreading.SoakProgram.Accounts;
using NativeThreading.SoakProgram.Plan;

namespace NativeThreading.SoakProgram.Loops.Ingredients;

/// <summary>A loop that hands over, next to the round's: all its callbacks block or compute until it has run another one, or end just when they
/// are relieved, while a timer fires.</summary>
internal sealed class BlockedLoops : LoopIngredient
{
    private const int Most = 4;

    public override string Name => "blocked loops";

    public override void Run(LoopRound round, Step step, Dice dice)
    {
        bool mayCompute = NativeThreadPool.Core == ThreadingCore.Native && OperatingSystem.IsLinux();
        using var loop = new EventLoop(new EventLoopOptions
        {
            Name = "soak-blocked",
            HandsOverWhenBlocked = true,
            HandsOverWhenComputing = mayCompute,
            MaxBlockedThreads = Most + 1,
        });
        int inside = 0;
        using var timer = new EventLoopTimer(
            loop,
            _ =>
            {
                if (Interlocked.Increment(ref inside) != 1)
                {
                    throw new InvalidOperationException("A timer was reentered.");
                }

                Relieve();
                Interlocked.Decrement(ref inside);
            },
            null);
        timer.Arm(TimeSpan.Zero, TimeSpan.FromMicroseconds(2_000 + dice.Next(8_000)));
        for (int i = Math.Min(Count(step, dice), Most); i > 0; i--)
        {
            Ticket ticket = round.Expect(Name);
            bool waits = dice.OneIn(2), computes = i == 1 && dice.OneIn(4) && mayCompute; // that takes 10 ms of a processor
            loop.Post(
                _ =>
                {
                    if (waits)
                    {
                        Task other = loop.InvokeAsync(static () => { });
                        while (computes && !other.IsCompleted)
                        {
                            Thread.SpinWait(20);
                        }

                        other.GetAwaiter().GetResult();
                    }
                    else
                    {
                        Relieve();
                    }

                    ticket.Run();
                },
                null);
        }
    }

    private static void Relieve()
    {
        using (NativeThreadPool.EnterBlockingRegion())
        {
            Thread.Yield();
        }
    }
}
