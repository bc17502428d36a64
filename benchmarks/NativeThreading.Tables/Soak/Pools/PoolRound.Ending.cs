using System.Runtime.CompilerServices;
using NativeThreading.Workloads.Soak.Plan;

namespace NativeThreading.Tables.Soak.Pools;

/// <summary>The ways in which pools end.</summary>
internal sealed partial class PoolRound
{
    protected override void End()
    {
        var dice = new Dice(_plan.Seed);
        switch (_plan.Ending)
        {
            case PoolEnding.Drained:
                Pool.ShutdownAsync(CancellationToken.None).GetAwaiter().GetResult();
                break;
            case PoolEnding.Disposed:
                Pool.Dispose();
                break;
            case PoolEnding.DisposedAsync:
                Soak.Neighbours[0].Run(async () => await Pool.DisposeAsync()).GetAwaiter().GetResult();
                break;
            case PoolEnding.StoppedAtOnce:
                Pool.ShutdownAsync(new CancellationToken(canceled: true)).GetAwaiter().GetResult();
                break;
            case PoolEnding.StoppedWhileDraining:
                StopWhileDraining(dice);
                break;
            case PoolEnding.ByOwnWorker:
                ByOwnWorker(dice);
                break;
            case PoolEnding.ByOtherPool:
                Soak.Neighbours[1].Run(Pool.Dispose).GetAwaiter().GetResult();
                break;
            case PoolEnding.ByFinalizer:
                ByFinalizer(dice.OneIn(2));
                break;
            case PoolEnding.TwiceAtOnce:
                TwiceAtOnce(dice);
                break;
            default:
                Soak.Bystander.InvokeAsync(async () => await Pool.DisposeAsync()).GetAwaiter().GetResult();
                break;
        }
    }

    private void StopWhileDraining(Dice dice)
    {
        using var stop = new CancellationTokenSource();
        Task<long> stopped = Pool.ShutdownAsync(stop.Token);
        SoakRun.Burn(dice.Next(300));
        stop.Cancel();
        stopped.GetAwaiter().GetResult();
    }

    private void ByOwnWorker(Dice dice)
    {
        using var begun = new ManualResetEventSlim();
        if (dice.OneIn(2) && Queue(dice.Of(0, 1, 2), "end", () =>
        {
            Pool.Dispose(); // only begins to
            begun.Set();
        }))
        {
            begun.Wait();
        }
        else if (Follow("end", ticket => Pool.RunAsync(() => Run(ticket, Pool.Dispose))) is { } task)
        {
            ((IAsyncResult)task).AsyncWaitHandle.WaitOne(); // refused where the queue is full: then the track ends the pool
        }
    }

    private void ByFinalizer(bool waits)
    {
        var begun = new ManualResetEventSlim();
        Forget(Pool, waits, begun);
        do
        {
            GC.Collect(0);
        }
        while (!begun.Wait(TimeSpan.FromMilliseconds(20)));
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void Forget(NativeThreadPool pool, bool waits, ManualResetEventSlim begun) => GC.KeepAlive(new Holder(pool, waits, begun));

    private void TwiceAtOnce(Dice dice)
    {
        int first = dice.Next(4);
        int second = dice.Next(4);
        var other = new Thread(() => EndIn(second), PoolShape.SmallStack) { Name = "soak-helper", IsBackground = true };
        other.Start();
        EndIn(first);
        other.Join();

        void EndIn(int way)
        {
            switch (way)
            {
                case 0:
                    Pool.Dispose();
                    break;
                case 1:
                    Pool.DisposeAsync().AsTask().GetAwaiter().GetResult();
                    break;
                case 2:
                    Pool.ShutdownAsync(CancellationToken.None).GetAwaiter().GetResult();
                    break;
                default:
                    Pool.ShutdownAsync(new CancellationToken(canceled: true)).GetAwaiter().GetResult();
                    break;
            }
        }
    }

    /// <summary>An object that somebody forgot to dispose.</summary>
    private sealed class Holder(NativeThreadPool pool, bool waits, ManualResetEventSlim begun)
    {
        ~Holder()
        {
            if (waits)
            {
                pool.Dispose();
            }
            else
            {
                _ = pool.ShutdownAsync(CancellationToken.None);
            }

            begun.Set();
        }
    }
}
