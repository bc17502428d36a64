using NativeThreading.SoakProgram.Plan;

namespace NativeThreading.SoakProgram.Pools.Ingredients;

/// <summary>Async methods: yields, delays, switches between pools, awaits that leave the context, and sync over async.</summary>
internal sealed class Awaits : Ingredient
{
    public override string Name => "awaits";

    public override void Run(PoolRound round, Step step, Dice dice)
    {
        for (int i = Count(step, dice); i > 0; i--)
        {
            var own = new Dice(dice.Next());
            bool limited = own.OneIn(2);
            round.Follow(Name, ticket =>
            {
                async Task Method()
                {
                    ticket.Run();
                    await StepsAsync(round, own, own.Between(1, 4));
                }

                return limited ? round.Pool.RunAsync(Method) : round.Pool.Run(Method);
            });
        }
    }

    private async Task StepsAsync(PoolRound round, Dice dice, int steps)
    {
        for (int i = 0; i < steps; i++)
        {
            switch (dice.Next(8))
            {
                case 0:
                    await Task.Delay(dice.Next(3));
                    break;
                case 1:
                    await round.Soak.Neighbours[dice.Next(2)].SwitchTo();
                    break;
                case 2:
                    await Task.Run(static () => SoakRun.Burn(5)).ConfigureAwait(false);
                    break;
                case 3:
                    await round.Pool.WhenAll(StepsAsync(round, new Dice(dice.Next()), 1), StepsAsync(round, new Dice(dice.Next()), 1));
                    break;
                case 4 when steps > 1 && round.Shape.MayWait:
                    StepsAsync(round, new Dice(dice.Next()), 1).Wait(); // sync over async
                    break;
                case 5 when dice.OneIn(4):
                    throw new SoakException();
                default:
                    await Task.Yield();
                    break;
            }
        }
    }
}
