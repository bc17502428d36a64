using NativeThreading.Tests.Support;

namespace NativeThreading.Tests.Scheduling;

/// <summary>A thread is being started, or about to fail to: the pool continues, and its end comes neither too early nor never.</summary>
public sealed class StartInFlightTests
{
    private const string Name = "in-flight";

    [Fact]
    public void OthersGoOn()
    {
        using NativeThreadPool pool = WithOneThreadOfTwo();
        using var starts = new HeldThreadStarts(Name);
        Task second = BeginSecondStart(pool, starts);
        pool.OnWorker(static () => { });
        Assert.Equal((2, 0L), (pool.ThreadCount, pool.PendingWorkItemCount));
        Deadline.Until(() => pool.CompletedWorkItemCount == 2);
        Assert.False(second.IsCompleted);
        starts.Release(fail: false);
        Deadline.Wait(second);
    }

    [Fact]
    public void TwoStart_SideBySide()
    {
        using var pool = new NativeThreadPool(new NativeThreadPoolOptions { Name = Name, MinThreads = 2, MaxThreads = 2 });
        using var starts = new HeldThreadStarts(Name);
        Task<int>[] calls = [Elsewhere(pool.StartMinThreads), Elsewhere(pool.StartMinThreads)];
        starts.WaitFor(2);
        starts.Release(fail: false);
        Assert.Equal((1, 1), (Deadline.Result(calls[0]), Deadline.Result(calls[1])));
        pool.WaitUntilQuiet();
        Assert.Equal(2, pool.ThreadCount);
    }

    [Theory, CombinatorialBooleans]
    public void DrainingPool_WaitsForTheStart_AndThenStops(bool fails)
    {
        NativeThreadPool pool = WithOneThreadOfTwo();
        using var starts = new HeldThreadStarts(Name);
        Task second = BeginSecondStart(pool, starts);
        Task<long> stopped = pool.ShutdownAsync(CancellationToken.None);
        Deadline.Until(() => pool.Probe.IdleWorkers == 1, "the first worker is idle");
        Assert.Equal((false, 2), (stopped.IsCompleted, pool.ThreadCount));
        starts.Release(fails);
        Assert.Equal(0, Deadline.Result(stopped));
        AssertEnded(second, fails);
        Assert.Equal(0, pool.ThreadCount);
    }

    [Theory, CombinatorialBooleans]
    public void StopByToken_WaitsForNoStart(bool fails)
    {
        NativeThreadPool pool = WithOneThreadOfTwo();
        using var starts = new HeldThreadStarts(Name);
        Task second = BeginSecondStart(pool, starts);
        Assert.Equal(0, Deadline.Result(pool.ShutdownAsync(new CancellationToken(canceled: true))));
        Assert.False(second.IsCompleted);
        starts.Release(fails);
        AssertEnded(second, fails);
        Deadline.Until(() => pool.ThreadCount == 0, "the thread that was started ends, too");
    }

    /// <summary>The last thread that stays does not retire while another thread may fail to start.</summary>
    [Fact]
    public void WorkerWhoseTimeIsOver_StaysUntilTheOtherHasStarted()
    {
        using var pool = new NativeThreadPool(new NativeThreadPoolOptions
        {
            Name = Name,
            MinThreads = 1,
            MaxThreads = 2,
            MaxBlockedThreads = 0, // no third one in place of the first
            IdleTimeout = TimeSpan.FromMilliseconds(1),
        });
        using var first = new BlockedWorkers(pool, 1);
        using var starts = new HeldThreadStarts(Name);
        using var ran = new ManualResetEventSlim();
        Task<int> queued = Elsewhere(() =>
        {
            pool.UnsafeQueueUserWorkItem(_ => ran.Set(), null); // asks for the second thread
            return 0;
        });
        starts.WaitFor(1);
        first.Release();
        Deadline.Wait(ran);
        long stays = pool.Probe.Parks;
        Deadline.Until(() => pool.Probe.Parks > stays + 10 || pool.ThreadCount < 2, "the first worker's time is over, again and again");
        starts.Release(fail: true);
        Deadline.Wait(queued); // the item was accepted
        Assert.Equal(1, pool.ThreadCount);
        pool.OnWorker(static () => { }); // by the one that has stayed: no other can be started
    }

    [Theory, CombinatorialBooleans]
    [Trait("Category", "Race")]
    public void StopBesideStarts_EveryPoolEnds(bool byToken)
    {
        foreach (int round in RaceTime.Rounds(shares: 2))
        {
            int starts = 0;
            using var failing = new FailingThreadStarts(name => name.StartsWith(Name, StringComparison.Ordinal) && Interlocked.Increment(ref starts) % 3 == 0);
            var pool = new NativeThreadPool(new NativeThreadPoolOptions { Name = Name, MinThreads = 3, MaxThreads = 3 });
            using var token = new CancellationTokenSource();
            Race.Run(
                () => IgnoreRefusal(() => pool.StartMinThreads()),
                () => IgnoreRefusal(() => pool.UnsafeQueueUserWorkItem(static _ => { }, null)),
                () =>
                {
                    Thread.SpinWait(round % 50 * 100);
                    Task<long> stopped = pool.ShutdownAsync(token.Token);
                    if (byToken)
                    {
                        token.Cancel();
                    }

                    Deadline.Wait(stopped, $"pool {round} stops: {pool.Probe}");
                });
            Deadline.Until(() => pool.ThreadCount == 0, $"all threads of pool {round} end: {pool.Probe}");
        }

        static void IgnoreRefusal(Action call)
        {
            try
            {
                call();
            }
            catch (Exception exception) when (exception is OutOfMemoryException or ObjectDisposedException)
            {
                // The start failed, or the pool was shutting down.
            }
        }
    }

    /// <summary>A pool asks for its second thread, too, where the first is slow to begin. Then another pool is made.</summary>
    private static NativeThreadPool WithOneThreadOfTwo()
    {
        for (int attempt = 1; ; attempt++)
        {
            var pool = new NativeThreadPool(new NativeThreadPoolOptions { Name = Name, MinThreads = 2, MaxThreads = 2 });
            pool.OnWorker(static () => { });
            pool.WaitUntilQuiet();
            if (pool.ThreadCount == 1)
            {
                return pool;
            }

            pool.Dispose();
            Assert.True(attempt < 20, "One item has brought two threads in each of 20 pools.");
        }
    }

    private static Task<int> BeginSecondStart(NativeThreadPool pool, HeldThreadStarts starts)
    {
        Task<int> second = Elsewhere(pool.StartMinThreads);
        starts.WaitFor(1);
        return second;
    }

    private static Task<T> Elsewhere<T>(Func<T> call) =>
        Task.Factory.StartNew(call, CancellationToken.None, TaskCreationOptions.LongRunning, TaskScheduler.Default);

    private static void AssertEnded(Task start, bool failed)
    {
        if (failed)
        {
            Assert.ThrowsAny<OutOfMemoryException>(() => Deadline.Wait(start));
        }
        else
        {
            Deadline.Wait(start);
        }
    }
}
