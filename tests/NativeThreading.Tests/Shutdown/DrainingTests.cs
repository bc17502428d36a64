using NativeThreading.Tests.Support;

namespace NativeThreading.Tests.Shutdown;

/// <summary>A pool that drains comes to its end, whatever else changes its state word meanwhile (T134).</summary>
public sealed class DrainingTests
{
    /// <summary>On one processor this tests nothing; on two the old comparison of the whole word failed in the first rounds.</summary>
    [Fact]
    public void T134_MonitorComesAndGoesMeanwhile_TheShutdownEnds()
    {
        foreach (int round in Soak.Repeat(100))
        {
            NativeThreadPool pool = Pools.WithThreads(1);
            pool.OnWorker(static () => { });
            pool.WaitUntilQuiet();
            bool ends = false;
            StartGate.Run(2, thread =>
            {
                if (thread == 0)
                {
                    // At once, for all is quiet; a second later the parked worker looks by itself, and would make up for it.
                    long began = Environment.TickCount64;
                    Task<long> stopped = pool.ShutdownAsync(CancellationToken.None);
                    bool isStopped = pool.Probe.IsStopped || Environment.TickCount64 - began > 500;
                    Deadline.Wait(stopped);
                    Volatile.Write(ref ends, true);
                    Assert.True(isStopped, $"the look gave up in round {round}");
                    return;
                }

                long started = Environment.TickCount64;
                while (!Volatile.Read(ref ends) && Environment.TickCount64 - started < Deadline.Time.TotalMilliseconds / 6)
                {
                    pool.Probe.TryMonitor();
                    pool.Probe.LeaveUnmonitored();
                }
            });
        }
    }

    /// <summary>The only worker blocks, so that the monitor has the pool, and gives it back as the pool comes to its end.</summary>
    [Fact]
    public void T134_PoolsDisposedWhileAnItemBlocks_AllStop()
    {
        var random = new Random(134);
        foreach (int round in Soak.Repeat(15))
        {
            Task[] pools = [.. Enumerable.Range(0, 200).Select(_ => UseAndDispose(random.Next(12, 41)))];
            Deadline.Wait(Task.WhenAll(pools), $"the {pools.Count(static pool => !pool.IsCompleted)} pools of round {round} stop");
        }

        static async Task UseAndDispose(int milliseconds)
        {
            await Task.Yield();
            var pool = new NativeThreadPool(new NativeThreadPoolOptions { MaxThreads = 1, IdleTimeout = Timeout.InfiniteTimeSpan });
            pool.UnsafeQueueUserWorkItem(_ => Thread.Sleep(milliseconds), null);
            pool.UnsafeQueueUserWorkItem(static _ => { }, null);
            await Task.Delay(8);
            await pool.DisposeAsync();
            Assert.Equal((2L, 0), (pool.CompletedWorkItemCount, pool.ThreadCount));
        }
    }

    [Fact]
    public void StopByTokenBesideARequest_StillReachesTheParkedWorker()
    {
        NativeThreadPool pool = Pools.WithThreads(2);
        using (new BlockedWorkers(pool, 1))
        {
            // A producer has asked for a thread and loses its CPU.
            pool.Probe.RequestThread();
        }

        Deadline.Until(() => pool.Probe.IdleWorkers == 1, "the worker parks");
        Task<long> stopped = pool.ShutdownAsync(new CancellationToken(canceled: true));
        Assert.True(stopped.IsCompleted);
        pool.Probe.StartRequestedThread();
        Assert.Equal(0, pool.Probe.IdleWorkers); // not only once it looks by itself, a second later
        Deadline.Until(() => pool.ThreadCount == 0);
    }
}
