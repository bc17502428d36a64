using System.Collections.Concurrent;
using NativeThreading.SoakProgram.Plan;

namespace NativeThreading.SoakProgram.Pools.Ingredients;

/// <summary>Workers are interrupted by their items and from outside, at any moment of their lives.</summary>
internal sealed class Interrupts : Ingredient
{
    public override string Name => "interrupts";

    public override void Run(PoolRound round, Step step, Dice dice)
    {
        round.ExpectInterrupts();
        var workers = new ConcurrentBag<Thread>();
        for (int i = Math.Min(Count(step, dice), 60); i > 0; i--)
        {
            int form = dice.Next(PoolRound.Forms);
            int inner = dice.Next(PoolRound.Forms);
            bool waits = dice.OneIn(3);
            round.Queue(form, Name, () =>
            {
                if (NativeThreadPool.Current != round.Pool)
                {
                    return; // a full queue ran it on its caller, which is not ours to interrupt
                }

                Thread.CurrentThread.Interrupt();
                round.Queue(inner, Name, static () => { });
                if (waits)
                {
                    workers.Add(Thread.CurrentThread);
                    Thread.Sleep(1);
                }
            });
        }

        int times = dice.Between(1, 20);
        round.Help(() =>
        {
            for (int i = 0; i < times; i++)
            {
                foreach (Thread worker in workers)
                {
                    worker.Interrupt();
                }

                Thread.Yield();
            }
        });
    }
}
