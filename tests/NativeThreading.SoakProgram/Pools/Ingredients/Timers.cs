using NativeThreading.SoakProgram.Accounts;
using NativeThreading.SoakProgram.Plan;
using NativeThreading.SoakProgram.Tracks;

namespace NativeThreading.SoakProgram.Pools.Ingredients;

/// <summary>Work after a delay, work that recurs, and awaits of the pool's timers, some of it cancelled meanwhile.</summary>
internal sealed class Timers : Ingredient
{
    public override string Name => "timers";

    public override void Run(PoolRound round, Step step, Dice dice)
    {
        var cancellation = new CancellationTokenSource();
        NativeThreadPool pool = round.Pool;
        for (int i = Count(step, dice); i > 0; i--)
        {
            CancellationToken token = dice.OneIn(3) ? cancellation.Token : CancellationToken.None;
            var delay = TimeSpan.FromMicroseconds(dice.Next(3_000));
            int form = dice.Next(4);
            Task Start(Ticket ticket)
            {
                void Body() => Round.Run(ticket, static () => SoakRun.Burn(5));
                async Task Method()
                {
                    Body();
                    await Task.Yield();
                }

                return form switch
                {
                    0 => pool.RunAfter(delay, Body, token),
                    1 => pool.RunAfter(delay, Method, token),
                    2 => SeriesAsync(pool, ticket, Body, token),
                    _ => pool.RunAsync(
                        async () =>
                        {
                            await Task.Delay(delay, pool.TimeProvider);
                            Body();
                        },
                        token),
                };
            }

            _ = form == 2 ? round.FollowSeries(Name, Start) : round.Follow(Name, Start);
        }

        int burn = dice.Next(2_000);
        round.Help(() =>
        {
            SoakRun.Burn(burn);
            cancellation.Cancel();
            cancellation.Dispose();
        });
    }

    /// <summary>A series whose third run is the last. One that ends before its first run counts as refused.</summary>
    private static async Task SeriesAsync(NativeThreadPool pool, Ticket ticket, Action body, CancellationToken token)
    {
        int runs = 0;
        await pool.RunEvery(
            TimeSpan.FromMilliseconds(1),
            () =>
            {
                if (++runs == 1)
                {
                    body();
                }
                else if (runs == 3)
                {
                    throw new SoakException();
                }
            },
            token).ConfigureAwait(false);
        ObjectDisposedException.ThrowIf(!ticket.HasRun, pool);
    }
}
