using System.Collections.Concurrent;
using NativeThreading.SoakProgram.Plan;
using NativeThreading.SoakProgram.Tracks;

namespace NativeThreading.SoakProgram.Pools.Ingredients;

/// <summary>The framework's loops, queries and partitioners on the pool.</summary>
internal sealed class ParallelLoops : Ingredient
{
    public override string Name => "parallel";

    public override void Run(PoolRound round, Step step, Dice dice)
    {
        int count = Count(step, dice);
        round.Follow(Name, ticket => round.Pool.Run(() => Round.Run(ticket, () =>
        {
            long sum = 0;
            Parallel.For(
                0, count, new ParallelOptions { TaskScheduler = round.Pool.Scheduler, MaxDegreeOfParallelism = 3 }, i => Interlocked.Add(ref sum, i));
            if (sum != (long)count * (count - 1) / 2)
            {
                round.Account.Report($"{Name}: a loop over {count} numbers added up to {sum}");
            }
        })));
    }
}
