using NativeThreading.SoakProgram.Plan;

namespace NativeThreading.SoakProgram.Pools.Ingredients;

/// <summary>Items that block in every way, for a moment and for long, with and without telling the pool.</summary>
internal sealed class Blocking : Ingredient
{
    public override string Name => "blocking";

    public override void Run(PoolRound round, Step step, Dice dice)
    {
        var monitor = new object();
        for (int i = Math.Min(Count(step, dice), 40); i > 0; i--)
        {
            int way = dice.Next(8);
            TimeSpan time = TimeSpan.FromMicroseconds(dice.Next(40) switch
            {
                0 => dice.Between(50_000, 150_000),
                < 10 => dice.Between(2_000, 15_000),
                _ => dice.Between(20, 1_500),
            });
            bool isTold = dice.OneIn(3);
            round.Queue(dice.Next(PoolRound.Forms), Name, () =>
            {
                if (isTold)
                {
                    using (NativeThreadPool.EnterBlockingRegion())
                    {
                        Block(way, time, monitor);
                    }
                }
                else
                {
                    Block(way, time, monitor);
                }
            });
        }
    }

    private static void Block(int way, TimeSpan time, object monitor)
    {
        switch (way)
        {
            case 0:
                Thread.Sleep(time);
                break;
            case 1:
                lock (monitor)
                {
                    Thread.Sleep(time / 4); // the others wait for it in turn
                }

                break;
            case 2:
                lock (monitor)
                {
                    Monitor.Wait(monitor, time);
                }

                break;
            case 3:
                Task.Delay(time).Wait();
                break;
            case 4:
                using (var released = new SemaphoreSlim(0))
                {
                    released.Wait(time);
                }

                break;
            case 5:
                using (var released = new LifoSemaphore())
                {
                    released.Wait(time);
                }

                break;
            case 6:
                using (var set = new ManualResetEvent(false))
                {
                    set.WaitOne(time);
                }

                break;
            default:
                Task.Run(() => SoakRun.Burn(100)).Wait(); // the built-in pool, which may be busy
                break;
        }
    }
}
