using System.IO.Pipes;
using NativeThreading.Tests.Support;

namespace NativeThreading.Tests.EventLoops.Shutdown;

/// <summary>Shutdown during everything: each accepted callback ran, here or elsewhere, or was dropped and counted (T57, T91).</summary>
public sealed class LoopShutdownRaceTests
{
    private const int Threads = 8;
    private const int MostPending = 2_000; // eight threads post faster than one runs

    [Theory, CombinatorialBooleans]
    public void T57_EightThreadsAtEverything_EachAcceptedCallbackIsAccountedFor(bool byToken)
    {
        using NativeThreadPool pool = Pools.WithThreads(2);
        using var reader = new AnonymousPipeServerStream(PipeDirection.In);
        foreach (int round in Soak.Repeat(25))
        {
            var loop = new EventLoop();
            using var source = new CancellationTokenSource();
            var accepted = new int[Threads];
            int ran = 0;
            int beginning = Threads - 1;
            int spin = round * 200;
            long dropped = -1;
            StartGate.Run(Threads, thread =>
            {
                if (thread == 0)
                {
                    Deadline.Until(() => Volatile.Read(ref beginning) == 0);
                    Thread.SpinWait(spin);
                    Task<long> stopped = loop.ShutdownAsync(source.Token);
                    if (byToken)
                    {
                        source.Cancel();
                    }

                    dropped = Deadline.Result(stopped);
                    return;
                }

                try
                {
                    for (int i = 0; ; i++)
                    {
                        while (loop.PendingCallbackCount > MostPending && !loop.IsStopped)
                        {
                            Thread.Yield();
                        }

                        Enter(loop, pool, reader, i % 7 == 6 && (thread != 1 || !NeedsNativeCoreAttribute.IsMet(NeedsNativeCoreAttribute.Descriptors)) ? 0 : i % 7, () => Interlocked.Increment(ref ran), ref accepted[thread]);
                        if (i == 7)
                        {
                            Interlocked.Decrement(ref beginning);
                        }
                    }
                }
                catch (ObjectDisposedException)
                {
                    // the end that every thread comes to
                }
            });

            Deadline.Until(
                () => Volatile.Read(ref ran) + dropped >= accepted.Sum(),
                $"round {round}: {accepted.Sum()} accepted, {Volatile.Read(ref ran)} ran, {dropped} dropped");
            pool.WaitUntilQuiet();

            // The one registration that may have been waiting was dropped too, and its caller has got an exception.
            Assert.InRange(ran + dropped - accepted.Sum(), 0, byToken ? 1 : 0);
            Assert.True(byToken || dropped == 0);
        }
    }

    /// <summary>Makes one entry call; counts it if it was accepted.</summary>
    private static void Enter(
        EventLoop loop, NativeThreadPool pool, AnonymousPipeServerStream reader, int kind, Action ran, ref int accepted)
    {
        switch (kind)
        {
            case 0:
                loop.Post(static ran => ((Action)ran!)(), ran);
                break;
            case 1:
                loop.UnsafePost(static ran => ((Action)ran!)(), ran);
                break;
            case 2:
                _ = loop.InvokeAsync(ran);
                break;
            case 3:
                _ = loop.InvokeAsync(() =>
                {
                    ran();
                    return Task.Delay(TimeSpan.Zero, TimeProvider.System);
                });
                break;
            case 4:
                loop.Offload(pool, static _ => { }, static ran => ((Action)ran!)(), ran);
                break;
            case 5:
                new EventLoopTimer(loop, static _ => { }, null).Arm(TimeSpan.Zero); // cancelled at the stop: not counted
                return;
            default:
                loop.Register(reader.SafePipeHandle, EventLoopInterest.Read, static (_, _) => { }, null).Dispose();
                return;
        }

        accepted++;
    }
}
