using NativeThreading.SoakProgram.Accounts;
using NativeThreading.SoakProgram.Plan;

namespace NativeThreading.SoakProgram.Tracks;

/// <summary>One pool that keeps every processor busy, or has a little to do, or nothing, in turns, until all rest.</summary>
internal sealed class LoadTrack(SoakRun soak, int number) : Track(soak, number, $"load{number}")
{
    private static readonly TimeSpan s_turn = TimeSpan.FromMilliseconds(700);

    protected override void Round(long round)
    {
        var dice = new Dice(Dice.Derive(Soak.Plan.Track(Number), (ulong)round));
        var account = new Account($"{Name}-{round}", Soak.Verdict.Fail);
        var pool = new NativeThreadPool(new NativeThreadPoolOptions { Name = $"{Name}-{round}", MaxThreads = 2 * Environment.ProcessorCount });
        while (!Soak.Gate.IsClosed)
        {
            int chains = dice.Of(0, 1, 2, 2 * Environment.ProcessorCount, 8 * Environment.ProcessorCount);
            bool isOver = false;
            Phase.Enter($"load: {(chains == 0 ? "none" : "some")}", Soak.Limits.Phase);
            for (int i = 0; i < chains; i++)
            {
                Continue(new Dice(dice.Next()));
            }

            TimeSpan began = Soak.Clock.Now;
            while (Soak.Clock.Now - began < s_turn && !Soak.Gate.IsClosed)
            {
                Thread.Sleep(10);
            }

            Volatile.Write(ref isOver, true);

            // Each item of a chain queues the next one, and now and then blocks for a moment.
            void Continue(Dice own)
            {
                Ticket ticket = account.Issue("load");
                pool.UnsafeQueueUserWorkItem(
                    _ => Tracks.Round.Run(ticket, () =>
                    {
                        SoakRun.Burn(own.Between(20, 300));
                        if (own.OneIn(50))
                        {
                            Thread.Sleep(own.Next(3));
                        }

                        if (!Volatile.Read(ref isOver))
                        {
                            Continue(own);
                        }
                    }),
                    null);
            }
        }

        Phase.Enter("load: shutdown", Soak.Limits.Phase);
        account.Close(pool.ShutdownAsync(CancellationToken.None).GetAwaiter().GetResult());
        Soak.Tally.Add("items: load", account.RanCount);
        Phase.Leave();
    }
}
