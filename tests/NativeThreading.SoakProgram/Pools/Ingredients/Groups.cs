using NativeThreading.SoakProgram.Accounts;
using NativeThreading.SoakProgram.Plan;
using NativeThreading.SoakProgram.Tracks;

namespace NativeThreading.SoakProgram.Pools.Ingredients;

/// <summary>Fork-join, nested, with items that throw and waiters of every kind.</summary>
internal sealed class Groups : Ingredient
{
    public override string Name => "groups";

    public override void Run(PoolRound round, Step step, Dice dice)
    {
        var group = new WorkGroup(round.Pool, dice.Of(WorkGroupErrors.First, WorkGroupErrors.All));
        Fork(round, group, Count(step, dice), dice, depth: 2);
        Join(round, group, dice);
    }

    private void Fork(PoolRound round, WorkGroup group, int count, Dice dice, int depth)
    {
        // One call for all where the pool takes all or none.
        if (dice.OneIn(2) && (round.Shape.QueueLimit is null || round.Shape.Mode == QueueFullMode.Reject))
        {
            (Ticket, Dice)[] states = [.. Enumerable.Range(0, count).Select(_ => (round.Account.Issue(Name), new Dice(dice.Next())))];
            try
            {
                group.QueueRange(state => Item(round, state.Item1, state.Item2, depth), (ReadOnlySpan<(Ticket, Dice)>)states);
            }
            catch (Exception exception) when (Round.IsRefusal(exception))
            {
                Array.ForEach(states, static state => state.Item1.Refuse());
            }

            return;
        }

        for (int i = 0; i < count; i++)
        {
            var own = new Dice(dice.Next());
            round.Offer(Name, ticket => group.Queue(_ => Item(round, ticket, own, depth), 0));
        }
    }

    private void Item(PoolRound round, Ticket ticket, Dice dice, int depth) => Round.Run(ticket, () =>
    {
        SoakRun.Burn(dice.Next(20));
        if (depth > 0 && dice.OneIn(4))
        {
            var inner = new WorkGroup(round.Pool);
            Fork(round, inner, dice.Between(1, 6), dice, depth - 1);
            Join(round, inner, dice);
        }

        if (dice.OneIn(10))
        {
            throw new SoakException();
        }
    });

    /// <summary>Items that the pool drops end the wait as well.</summary>
    private static void Join(PoolRound round, WorkGroup group, Dice dice)
    {
        try
        {
            switch (dice.Next(4))
            {
                case 0:
                    group.Wait(TimeSpan.FromMilliseconds(dice.Next(3)));
                    break;
                case 1 when round.Shape.MayWait || NativeThreadPool.Current != round.Pool: // a worker does not help there
                    group.WaitAsync().Wait();
                    break;
                default:
                    group.Wait();
                    break;
            }
        }
        catch (Exception exception) when (round.IsExpected(exception))
        {
        }
    }
}
