using NativeThreading.Tests.Support;

namespace NativeThreading.Tests.Shutdown;

/// <summary>Pools that stop while everything else continues.</summary>
[Trait("Category", "Race")]
public sealed class PoolStopRaceTests
{
    /// <summary>The monitor has the pool, for its only worker blocks, and gives it back at about the time of the stop (T134).</summary>
    [Fact]
    public void T134_MonitoredPoolsShutDown_AllStop()
    {
        const int atOnce = 50;
        var random = new Random(134);
        foreach (int round in RaceTime.Rounds(shares: 5))
        {
            Task[] pools = [.. Enumerable.Range(0, atOnce).Select(_ => UseAndDispose(random.Next(2, 12), random.Next(1, 16)))];
            Deadline.Wait(Task.WhenAll(pools), $"all pools of round {round} stop");
        }

        static async Task UseAndDispose(int blockedFor, int disposedAfter)
        {
            await Task.Yield();
            var pool = new NativeThreadPool(new NativeThreadPoolOptions { MaxThreads = 1, IdleTimeout = Timeout.InfiniteTimeSpan });
            pool.UnsafeQueueUserWorkItem(_ => Thread.Sleep(blockedFor), null);
            pool.UnsafeQueueUserWorkItem(static _ => { }, null);
            await Task.Delay(blockedFor + disposedAfter); // the monitor gives the pool back after some looks in which nothing waits
            await pool.DisposeAsync();
            Assert.Equal((2L, 0), (pool.CompletedWorkItemCount, pool.ThreadCount));
        }
    }

    [Theory, CombinatorialBooleans]
    public void QueuedBesideTheStop_EachItemIsRefusedDroppedOrRunOnce(bool byToken)
    {
        const int producers = 2;
        const int mostItems = 300;
        foreach (int round in RaceTime.Rounds())
        {
            var pool = new NativeThreadPool(new NativeThreadPoolOptions { MaxThreads = 1 + (round % 3), IdleTimeout = TimeSpan.FromMilliseconds(0.1 + (round % 4)) });
            using var source = new CancellationTokenSource();
            int accepted = 0;
            int ran = 0;
            long dropped = 0;
            StartGate.Run(producers + 1, thread =>
            {
                if (thread == producers)
                {
                    Thread.SpinWait(round % 50 * 40);
                    Task<long> stopped = pool.ShutdownAsync(source.Token);
                    if (byToken)
                    {
                        source.Cancel();
                    }

                    dropped = Deadline.Result(stopped);
                    return;
                }

                try
                {
                    for (int i = 0; i < mostItems; i++)
                    {
                        pool.UnsafeQueueUserWorkItem(
                            _ =>
                            {
                                if (NativeThreadPool.Current == pool)
                                {
                                    // Never refused to a worker.
                                    pool.UnsafeQueueUserWorkItem<object?>(_ => Interlocked.Increment(ref ran), null, preferLocal: (round & 1) == 0);
                                    Interlocked.Increment(ref ran);
                                }
                                else
                                {
                                    Interlocked.Add(ref ran, 2); // it met the very end of the pool
                                }
                            },
                            null);
                        Interlocked.Increment(ref accepted);
                    }
                }
                catch (ObjectDisposedException)
                {
                    // the stop that every producer comes to
                }
            });

            // A token drops items before they have queued theirs, or with them.
            Deadline.Until(
                () => byToken ? Volatile.Read(ref ran) + dropped >= accepted && pool.ThreadCount == 0 : Volatile.Read(ref ran) == 2 * accepted,
                $"round {round}: {accepted} accepted, {Volatile.Read(ref ran)} ran, {dropped} dropped, {pool.RanElsewhereCount} elsewhere");
            Assert.True(byToken || dropped == 0);
            Assert.InRange(ran + dropped, accepted, 2L * accepted);
            Assert.Equal((0L, 0), (pool.PendingWorkItemCount, pool.ThreadCount));
        }
    }

    /// <summary>A producer that publishes its item just after the stop settles the pool's leftovers. While the stop abandons them, the producer has to leave
    /// them to the stop, which counts them.</summary>
    /// <remarks>Without <c>Leftovers.BeginAbandoning</c> the producer cancels the tasks, and the count of the stop lacks them: this test fails in the build of
    /// hostile schedules, within seconds with NTH_CHAOS_POINT=AbandonItems.</remarks>
    [Fact]
    public void T114_ItemPublishedBesideAStopByToken_LeavesTheQueuedOnesToTheStop()
    {
        const int queued = 20;
        foreach (int round in RaceTime.Rounds())
        {
            NativeThreadPool pool = Pools.WithThreads(1);
            using var blocked = new BlockedWorkers(pool, 1);
            Task[] tasks = [.. Enumerable.Range(0, queued).Select(_ => pool.Run(static () => { }))];
            StartGate.Run(3, thread =>
            {
                if (thread == 0)
                {
                    Thread.SpinWait(round % 50 * 40);
                    Assert.InRange(Deadline.Result(pool.ShutdownAsync(new CancellationToken(canceled: true))), queued, long.MaxValue);
                    return;
                }

                try
                {
                    while (true)
                    {
                        pool.UnsafeQueueUserWorkItem(static _ => { }, null);
                    }
                }
                catch (ObjectDisposedException)
                {
                    // the stop that every producer comes to
                }
            });
            Assert.All(tasks, static task => Assert.True(task.IsCanceled || task.IsFaulted));
        }
    }

    /// <summary>The stop meets workers in regions, on their way into the reserve, in it and out of it.</summary>
    [Fact]
    public void RegionsEndWhileThePoolDrains_ItStops()
    {
        foreach (int round in RaceTime.Rounds())
        {
            const int items = 6;
            var pool = new NativeThreadPool(new NativeThreadPoolOptions { MaxThreads = 1, MaxBlockedThreads = 3, IdleTimeout = TimeSpan.FromMilliseconds(0.1 + (round % 3)) });
            int ran = 0;
            for (int i = 0; i < items; i++)
            {
                int spin = (round + i) % 20 * 50;
                pool.UnsafeQueueUserWorkItem(
                    _ =>
                    {
                        using (NativeThreadPool.EnterBlockingRegion())
                        {
                            Thread.SpinWait(spin);
                        }

                        Interlocked.Increment(ref ran);
                    },
                    null);
            }

            Thread.SpinWait(round % 40 * 100);
            RaceTime.Soon(() => Deadline.Wait(pool.ShutdownAsync(CancellationToken.None)), $"the stop of round {round}");
            Assert.Equal((items, 0, 0), (ran, pool.ThreadCount, pool.BlockedThreadCount));
        }
    }

    [Fact]
    public void OperationsEndWhileThePoolDrains_TheStopWaitsForEach()
    {
        foreach (int round in RaceTime.Rounds())
        {
            var pool = new NativeThreadPool(new NativeThreadPoolOptions { MaxThreads = 2, IdleTimeout = TimeSpan.FromMilliseconds(0.1 + (round % 3)) });
            var other = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
            int ended = 0;
            Task[] operations =
            [
                .. Enumerable.Range(0, 4).Select(i => pool.Run(async () =>
                {
                    await Task.Yield();
                    await other.Task;
                    if (i % 2 == 0)
                    {
                        await Task.Yield();
                    }

                    Interlocked.Increment(ref ended);
                })),
            ];
            StartGate.Run(2, thread =>
            {
                if (thread == 0)
                {
                    Deadline.Wait(pool.ShutdownAsync(CancellationToken.None));
                    Assert.Equal(4, Volatile.Read(ref ended));
                    return;
                }

                Thread.SpinWait(round % 50 * 40);
                other.SetResult();
            });
            Deadline.Wait(Task.WhenAll(operations));
        }
    }
}
