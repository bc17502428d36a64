using NativeThreading.SoakProgram.Plan;
using NativeThreading.SoakProgram.Tracks;

namespace NativeThreading.SoakProgram.Pools.Ingredients;

/// <summary>Work with names, priorities, time limits and tokens, in every form that says how it ended.</summary>
internal sealed class Options : Ingredient
{
    public override string Name => "options";

    public override void Run(PoolRound round, Step step, Dice dice)
    {
        var source = new CancellationTokenSource();
        var group = new WorkGroup(round.Pool);
        int burn = dice.Next(2_000);
        round.Help(() =>
        {
            SoakRun.Burn(burn);
            source.Cancel();
        });
        for (int i = Count(step, dice); i > 0; i--)
        {
            var alone = new WorkOptions { Name = dice.OneIn(2) ? "soaked" : null, Priority = (WorkPriority)dice.Between(-1, 1) };
            WorkOptions options = alone with
            {
                StartWithin = dice.OneIn(3) ? TimeSpan.FromMicroseconds(dice.Next(3_000)) : null,
                CancellationToken = dice.OneIn(3) ? source.Token : CancellationToken.None,
            };
            CancellationToken ofCall = dice.OneIn(4) ? source.Token : CancellationToken.None;
            NativeThreadPool pool = round.Pool;
            int form = dice.Next(7);
            bool yields = dice.OneIn(2);
            if (form < 3)
            {
                // Nothing tells how these end but their run: no time limit, no token.
                round.Offer(Name, ticket =>
                {
                    void Body() => Round.Run(ticket, static () => SoakRun.Burn(5));
                    bool isAccepted = form switch
                    {
                        0 => pool.QueueUserWorkItem(_ => Body(), null, alone),
                        1 => pool.WithOptions(alone).TryQueueUserWorkItem(_ => Body(), null),
                        _ => Queued(() => group.Queue(_ => Body(), 0, alone)),
                    };
                    if (!isAccepted)
                    {
                        ticket.Refuse();
                    }
                });
                continue;
            }

            round.Follow(Name, ticket =>
            {
                void Body() => Round.Run(ticket, static () => SoakRun.Burn(5));
                async Task Method()
                {
                    Body();
                    if (yields)
                    {
                        await Task.Yield();
                    }
                }

                return form switch
                {
                    3 => pool.Run(Body, options),
                    4 => pool.RunAsync(Method, options),
                    5 => pool.WithOptions(options).RunAsync(Body, ofCall),
                    _ => pool.WithOptions(options).Run(Method, ofCall),
                };
            });
        }
    }

    private static bool Queued(Action queue)
    {
        queue();
        return true;
    }
}
