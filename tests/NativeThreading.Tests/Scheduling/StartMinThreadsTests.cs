using NativeThreading.Tests.Support;

namespace NativeThreading.Tests.Scheduling;

/// <summary>Threads that are started before there is work for them.</summary>
public sealed class StartMinThreadsTests
{
    [Fact]
    public void StartMinThreads_StartsThemOnce_AndTheyRunItems()
    {
        using var pool = new NativeThreadPool(new NativeThreadPoolOptions { MinThreads = 3, MaxThreads = 4 });
        Assert.Equal((3, 3), (pool.StartMinThreads(), pool.ThreadCount));
        Assert.Equal((0, 3), (pool.StartMinThreads(), pool.ThreadCount));
        using var together = new Barrier(3);
        using var ended = new CountdownEvent(3);
        for (int i = 0; i < 3; i++)
        {
            pool.QueueUserWorkItem(_ =>
            {
                if (together.SignalAndWait(Deadline.Time))
                {
                    ended.Signal();
                }
            });
        }

        Deadline.Wait(ended);
    }

    [Fact]
    public void StartMinThreads_OfAPoolWithoutAMinimum_DoesNothing()
    {
        using var pool = new NativeThreadPool();
        Assert.Equal((0, 0), (pool.StartMinThreads(), pool.ThreadCount));
    }

    [Fact]
    public void StartMinThreads_AfterShutdown_IsRefused()
    {
        var pool = new NativeThreadPool(new NativeThreadPoolOptions { MinThreads = 1 });
        pool.Dispose();
        Assert.Throws<ObjectDisposedException>(() => pool.StartMinThreads());
    }

    [Fact]
    public void T114_RunningItemsAtTheEndOfTheToken_AreCountedAsAbandoned()
    {
        using var release = new ManualResetEventSlim();
        using var runs = new ManualResetEventSlim();
        var pool = new NativeThreadPool(new NativeThreadPoolOptions { MinThreads = 3, MaxThreads = 3 });
        pool.StartMinThreads();
        pool.QueueUserWorkItem(_ =>
        {
            runs.Set();
            release.Wait(Deadline.Time);
        });
        Deadline.Wait(runs);
        Deadline.Until(() => pool.Probe.IdleWorkers == 2);
        Assert.Equal(0, pool.AbandonedWorkItemCount);
        Assert.Equal(0, Deadline.Result(pool.ShutdownAsync(new CancellationToken(canceled: true))));
        Assert.Equal(1, pool.AbandonedWorkItemCount);
        release.Set();
        Deadline.Until(() => pool.ThreadCount == 0);
    }
}
