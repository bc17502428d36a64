using NativeThreading.SoakProgram.Accounts;
using NativeThreading.SoakProgram.Plan;
using NativeThreading.SoakProgram.Tracks;

namespace NativeThreading.SoakProgram.Loops.Ingredients;

/// <summary>Work that goes to a pool and comes back, from the loop and from outside.</summary>
internal sealed class Offloads : LoopIngredient
{
    public override string Name => "offloads";

    public override void Run(LoopRound round, Step step, Dice dice)
    {
        for (int i = Count(step, dice); i > 0; i--)
        {
            NativeThreadPool pool = round.Soak.Neighbours[dice.Next(2)];
            int burn = dice.Next(10);
            if (dice.OneIn(2))
            {
                round.FollowDroppable(Name, ticket => round.Loop.InvokeAsync(async () =>
                {
                    ticket.Run();
                    await round.Loop.OffloadAsync(pool, () => SoakRun.Burn(burn));
                }));
            }
            else
            {
                Offload(round, pool, burn, fromLoop: dice.OneIn(2));
            }
        }
    }

    private void Offload(LoopRound round, NativeThreadPool pool, int burn, bool fromLoop)
    {
        if (fromLoop)
        {
            round.Offer(Name, ticket => round.Loop.Post(_ => Round.Run(ticket, () => Offload(round, pool, burn, fromLoop: false)), null));
            return;
        }

        // Two items: the work, and its completion, which is known to come as soon as the work begins.
        round.Offer(Name, work => round.Loop.Offload(
            pool,
            state =>
            {
                ((Completion)state!).Ticket = round.Account.Issue($"{Name}, completion");
                Round.Run(work, () => SoakRun.Burn(burn));
            },
            static state => ((Completion)state!).Ticket!.Run(),
            new Completion()));
    }

    private sealed class Completion
    {
        public Ticket? Ticket { get; set; }
    }
}
