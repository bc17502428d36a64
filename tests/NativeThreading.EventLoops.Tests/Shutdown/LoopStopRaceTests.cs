using NativeThreading.Tests.Support;

namespace NativeThreading.Tests.EventLoops.Shutdown;

/// <summary>Loops that stop while others post to them.</summary>
[Trait("Category", "Race")]
public sealed class LoopStopRaceTests
{
    /// <summary>Nothing in between: an accepted callback runs on the loop before its stop is reported, or is dropped and counted (T144).</summary>
    [Theory, CombinatorialBooleans]
    public void T144_PostedBesideTheStop_RunsOnTheLoopOrIsRefused(bool byToken)
    {
        const int posters = 3;
        const int mostPosts = 200;
        foreach (int round in RaceTime.Rounds())
        {
            var loop = new EventLoop();
            using var source = new CancellationTokenSource();
            int accepted = 0;
            int ran = 0;
            int elsewhere = 0;
            long dropped = 0;
            StartGate.Run(posters + 1, thread =>
            {
                if (thread == posters)
                {
                    Thread.SpinWait(round % 50 * 40);
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
                    for (int i = 0; i < mostPosts; i++)
                    {
                        loop.UnsafePost(
                            _ =>
                            {
                                Interlocked.Increment(ref ran);
                                if (!loop.IsInLoop)
                                {
                                    Interlocked.Increment(ref elsewhere);
                                }
                            },
                            null);
                        Interlocked.Increment(ref accepted);
                    }
                }
                catch (ObjectDisposedException)
                {
                    // the stop that every poster comes to
                }
            });

            Deadline.Until(() => Volatile.Read(ref ran) + dropped >= accepted, $"round {round}: {accepted} accepted, {ran} ran, {dropped} dropped");
            Assert.Equal((accepted, 0, 0L), ((int)(ran + dropped), elsewhere, loop.RanElsewhereCount));
            Assert.True(byToken || dropped == 0);
        }
    }

    [Fact]
    public void OffloadedBesideTheStop_CompletesOnTheLoopOrIsRefused()
    {
        const int most = 50;
        using NativeThreadPool pool = Pools.WithThreads(2);
        foreach (int round in RaceTime.Rounds())
        {
            var loop = new EventLoop();
            int accepted = 0;
            int completed = 0;
            int elsewhere = 0;
            StartGate.Run(3, thread =>
            {
                if (thread == 0)
                {
                    Thread.SpinWait(round % 50 * 40);
                    Deadline.Wait(loop.ShutdownAsync(CancellationToken.None));
                    return;
                }

                try
                {
                    for (int i = 0; i < most; i++)
                    {
                        loop.Offload(
                            pool,
                            static _ => { },
                            _ =>
                            {
                                Interlocked.Increment(ref loop.IsInLoop ? ref completed : ref elsewhere);
                            },
                            null);
                        Interlocked.Increment(ref accepted);
                    }
                }
                catch (ObjectDisposedException)
                {
                    // the stop that every thread comes to
                }
            });
            Deadline.Until(() => Volatile.Read(ref completed) + Volatile.Read(ref elsewhere) == accepted, $"round {round}: {accepted} accepted, {completed} completed");
            Assert.Equal(0, elsewhere);
        }
    }

    [Fact]
    public void WokenAtEachMomentOfItsTurn_TheLoopFindsWhatWasPosted()
    {
        using var loop = new EventLoop();
        using var ran = new SemaphoreSlim(0);
        foreach (int round in RaceTime.Rounds())
        {
            const int posts = 20;
            StartGate.Run(2, thread =>
            {
                for (int i = 0; i < posts; i++)
                {
                    loop.UnsafePost(static ran => ((SemaphoreSlim)ran!).Release(), ran);
                    Thread.SpinWait(thread * (round + i) % 300);
                    Deadline.Wait(ran, $"a callback of round {round}");
                }
            });
        }
    }
}
