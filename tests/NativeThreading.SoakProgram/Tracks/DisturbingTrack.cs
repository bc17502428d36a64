using NativeThreading.Diagnostics;
using NativeThreading.SoakProgram.Plan;
using NativeThreading.Tracing;

namespace NativeThreading.SoakProgram.Tracks;

/// <summary>Disturbances of the pools: collections, garbage, listeners that throw, and a reader of every property.</summary>
internal sealed class DisturbingTrack(SoakRun soak, int number) : Track(soak, number, "disturber")
{
    private volatile byte[]? _garbage;

    protected override void Round(long round)
    {
        var dice = new Dice(Dice.Derive(Soak.Plan.Track(Number), (ulong)round));
        int what = dice.Next(7);
        Phase.Enter($"disturb: {s_names[what]}", Soak.Limits.Phase);
        switch (what)
        {
            case 0:
                GC.Collect(2, GCCollectionMode.Forced, blocking: true, compacting: true);
                break;
            case 1:
                for (int i = dice.Between(1, 10); i > 0; i--)
                {
                    GC.Collect(0);
                }

                break;
            case 2:
                for (int i = dice.Between(10, 300); i > 0; i--)
                {
                    _garbage = new byte[dice.OneIn(20) ? 200_000 : dice.Between(10, 10_000)];
                }

                break;
            case 3:
                using (var listener = new ThrowingMeterListener())
                {
                    listener.Measure();
                    Thread.Sleep(dice.Next(40));
                }

                break;
            case 4:
                using (new ThrowingEventListener())
                {
                    Thread.Sleep(dice.Next(40));
                }

                break;
            case 5:
                Look();
                break;
            default:
                Thread.Sleep(dice.Next(200)); // nothing, for a while
                break;
        }

        Phase.Leave();
        Soak.Tally.Add($"disturb: {s_names[what]}");
        Thread.Sleep(dice.Next(60));
    }

    private static readonly string[] s_names = ["compacting collection", "collections", "garbage", "measuring", "tracing", "looking", "nothing"];

    private static void Look()
    {
        foreach (NativeThreadPool pool in PoolRegistry.Pools)
        {
            var view = new PoolView(pool);
            _ = (view.State, view.QueueLimit, view.ItemsFromOutside.Length, view.Threads.Sum(static worker => worker.PendingItems.Length));
            _ = (pool.OldestWorkItemAge, pool.AllThreadsBlockedDuration, pool.CompletedWorkItemCount, pool.StealCount, pool.ToString());
        }
    }
}
