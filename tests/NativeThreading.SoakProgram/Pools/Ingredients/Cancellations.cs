using NativeThreading.SoakProgram.Plan;
using NativeThreading.SoakProgram.Tracks;

namespace NativeThreading.SoakProgram.Pools.Ingredients;

/// <summary>Storms of cancellations, of items that wait for a permit, wait in the queue, or have started.</summary>
internal sealed class Cancellations : Ingredient
{
    public override string Name => "cancellations";

    public override void Run(PoolRound round, Step step, Dice dice)
    {
        int count = Count(step, dice);
        var sources = new CancellationTokenSource[count];
        for (int i = 0; i < count; i++)
        {
            sources[i] = new CancellationTokenSource();
        }

        int burn = dice.Next(40);
        bool reversed = dice.OneIn(2);
        round.Help(() =>
        {
            for (int i = 0; i < count; i++)
            {
                SoakRun.Burn(burn);
                sources[reversed ? count - 1 - i : i].Cancel();
            }
        });

        for (int i = 0; i < count; i++)
        {
            CancellationToken token = sources[i].Token;
            int form = dice.Next(5);
            bool yields = dice.OneIn(2);
            round.Follow(Name, ticket =>
            {
                NativeThreadPool pool = round.Pool;
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
                    0 => pool.RunAsync(Body, token),
                    1 => pool.RunAsync(Method, token),
                    2 => pool.Factory.StartNew(Body, token),
                    _ => pool.RunAsync(
                        () =>
                        {
                            Body();
                            return 1;
                        },
                        token),
                };
            });
        }
    }
}
