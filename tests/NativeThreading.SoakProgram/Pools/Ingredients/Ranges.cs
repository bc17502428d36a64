using NativeThreading.SoakProgram.Accounts;
using NativeThreading.SoakProgram.Plan;
using NativeThreading.SoakProgram.Tracks;

namespace NativeThreading.SoakProgram.Pools.Ingredients;

/// <summary>
/// Long ranges of one group, queued by several threads at once, also while the pool ends; items that block or fork, and workers that
/// wait for the group and so help.
/// </summary>
internal sealed class Ranges : Ingredient
{
    private const int ManyTimes = 40;

    public override string Name => "ranges";

    public override void Run(PoolRound round, Step step, Dice dice)
    {
        if (round.Shape.QueueLimit is not null && round.Shape.Mode != QueueFullMode.Reject)
        {
            return; // the pool may take a part
        }

        var group = new WorkGroup(round.Pool, WorkGroupErrors.All);
        for (int i = dice.Between(1, 3); i > 0; i--)
        {
            int count = Count(step, dice) * (dice.OneIn(20) ? ManyTimes : 1);
            var own = new Dice(dice.Next());
            round.Help(() => Queue(round, group, count, own));
        }

        // A worker that waits runs the queued items, and the items after those, even if no other worker may.
        for (int i = dice.Next(3); i > 0; i--)
        {
            round.Queue(dice.Next(PoolRound.Forms), Name, () => Wait(round, group));
        }

        Wait(round, group);
    }

    private void Queue(PoolRound round, WorkGroup group, int count, Dice dice)
    {
        Ticket[] states = [.. Enumerable.Range(0, count).Select(_ => round.Account.Issue(Name))];
        int blocks = dice.OneIn(3) ? dice.Between(1, count) : 0;
        int forks = dice.OneIn(3) ? dice.Between(1, count) : 0;
        int started = 0;
        try
        {
            group.QueueRange(ticket => Round.Run(ticket, () => Item(Interlocked.Increment(ref started))), states);
        }
        catch (Exception exception) when (Round.IsRefusal(exception))
        {
            Array.ForEach(states, static ticket => ticket.Refuse());
        }

        void Item(int number)
        {
            if (number == blocks)
            {
                Thread.Sleep(3);
            }
            else if (number == forks)
            {
                round.Queue(1, Name, static () => SoakRun.Burn(3));
            }
            else
            {
                SoakRun.Burn(number % 3);
            }
        }
    }

    private static void Wait(PoolRound round, WorkGroup group)
    {
        try
        {
            group.Wait();
        }
        catch (Exception exception) when (round.IsExpected(exception))
        {
        }
    }
}
