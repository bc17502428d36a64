using System.Runtime.CompilerServices;
using NativeThreading.SoakProgram.Plan;

namespace NativeThreading.SoakProgram.Loops;

/// <summary>The ways in which loops end.</summary>
internal sealed partial class LoopRound
{
    protected override void End()
    {
        var dice = new Dice(_plan.Seed);
        switch (_plan.Ending)
        {
            case LoopEnding.Drained:
                Loop.ShutdownAsync(CancellationToken.None).GetAwaiter().GetResult();
                break;
            case LoopEnding.Disposed:
                Loop.Dispose();
                break;
            case LoopEnding.StoppedAtOnce:
                Loop.ShutdownAsync(new CancellationToken(canceled: true)).GetAwaiter().GetResult();
                break;
            case LoopEnding.StoppedWhileDraining:
                using (var stop = new CancellationTokenSource())
                {
                    Task<long> stopped = Loop.ShutdownAsync(stop.Token);
                    SoakRun.Burn(dice.Next(300));
                    stop.Cancel();
                    stopped.GetAwaiter().GetResult();
                }

                break;
            case LoopEnding.ByItself:
                Follow("loop end", ticket => Loop.InvokeAsync(() => Run(ticket, Loop.Dispose)))!.GetAwaiter().GetResult();
                break;
            case LoopEnding.ByPool:
                Soak.Neighbours[0].Run(Loop.Dispose).GetAwaiter().GetResult();
                break;
            case LoopEnding.ByFinalizer:
                ByFinalizer();
                break;
            default:
                TwiceAtOnce(dice.Next(2), dice.Next(2));
                break;
        }
    }

    private void ByFinalizer()
    {
        var started = new ManualResetEventSlim();
        Forget(Loop, started);
        do
        {
            GC.Collect(0);
        }
        while (!started.Wait(TimeSpan.FromMilliseconds(20)));
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void Forget(EventLoop loop, ManualResetEventSlim started) => GC.KeepAlive(new Holder(loop, started));

    private void TwiceAtOnce(int first, int second)
    {
        var other = new Thread(() => EndIn(second), PoolShape.SmallStack) { Name = "soak-helper", IsBackground = true };
        other.Start();
        EndIn(first);
        other.Join();

        void EndIn(int way)
        {
            if (way == 0)
            {
                Loop.Dispose();
            }
            else
            {
                Loop.ShutdownAsync(new CancellationToken(canceled: true)).GetAwaiter().GetResult();
            }
        }
    }

    /// <summary>An object that the program forgot to dispose.</summary>
    private sealed class Holder(EventLoop loop, ManualResetEventSlim started)
    {
        ~Holder()
        {
            loop.Dispose();
            started.Set();
        }
    }
}
