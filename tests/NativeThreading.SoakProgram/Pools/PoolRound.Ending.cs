using System.Runtime.CompilerServices;
using NativeThreading.SoakProgram.Plan;

namespace NativeThreading.SoakProgram.Pools;

/// <summary>The ways in which pools end.</summary>
internal sealed partial class PoolRound
{
    protected override void End()
    {
        var dice = new Dice(_plan.Seed);
        switch (_plan.Ending)
        {
            case PoolEnding.Drained:
                Await(Pool.ShutdownAsync(CancellationToken.None));
                break;
            case PoolEnding.Disposed:
                Pool.Dispose();
                break;
            case PoolEnding.DisposedAsync:
                Soak.Neighbours[0].Run(async () => await Pool.DisposeAsync()).GetAwaiter().GetResult();
                break;
            case PoolEnding.StoppedAtOnce:
                Await(Pool.ShutdownAsync(new CancellationToken(canceled: true)));
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

    /// <summary>
    /// Blocks for a shutdown. Another thread may interrupt the worker that completes it just then; the blocked thread is not woken by that (T152), and
    /// polls once a second. It polls the task alone, so a shutdown that does not end is found.
    /// </summary>
    private void Await(Task shutdown)
    {
        while (!shutdown.Wait(TimeSpan.FromSeconds(1)))
        {
            if (shutdown.IsCompleted)
            {
                Soak.Tally.Add("wakes torn by an interrupt from outside");
            }
        }
    }

    private void StopWhileDraining(Dice dice)
    {
        using var stop = new CancellationTokenSource();
        Task<long> stopped = Pool.ShutdownAsync(stop.Token);
        SoakRun.Burn(dice.Next(300));
        stop.Cancel();
        Await(stopped);
    }

    private void ByOwnWorker(Dice dice)
    {
        using var started = new ManualResetEventSlim();
        if (dice.OneIn(2) && Queue(dice.Of(0, 1, 2), "end", () =>
        {
            try
            {
                Pool.Dispose(); // only begins to
            }
            finally
            {
                started.Set(); // an interrupted worker may not even start it; then the track ends the pool
            }
        }))
        {
            while (!started.Wait(TimeSpan.FromSeconds(1)))
            {
                // An interrupt may tear the wake (T152).
            }
        }
        else if (Follow("end", ticket => Pool.RunAsync(() => Run(ticket, Pool.Dispose))) is { } task)
        {
            while (!((IAsyncResult)task).AsyncWaitHandle.WaitOne(TimeSpan.FromSeconds(1)) && !task.IsCompleted)
            {
                // The same.
            }
        } // refused where the queue is full: then the track ends the pool
    }

    private void ByFinalizer(bool waits)
    {
        var started = new ManualResetEventSlim();
        Forget(Pool, waits, started);
        do
        {
            GC.Collect(0);
        }
        while (!started.Wait(TimeSpan.FromMilliseconds(20)));
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void Forget(NativeThreadPool pool, bool waits, ManualResetEventSlim started) => GC.KeepAlive(new Holder(pool, waits, started));

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
                    Await(Pool.DisposeAsync().AsTask());
                    break;
                case 2:
                    Await(Pool.ShutdownAsync(CancellationToken.None));
                    break;
                default:
                    Await(Pool.ShutdownAsync(new CancellationToken(canceled: true)));
                    break;
            }
        }
    }

    /// <summary>An object that the program forgot to dispose.</summary>
    private sealed class Holder(NativeThreadPool pool, bool waits, ManualResetEventSlim started)
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

            started.Set();
        }
    }
}
