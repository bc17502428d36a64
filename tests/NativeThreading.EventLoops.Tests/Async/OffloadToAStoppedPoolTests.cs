using NativeThreading.Tests.Support;

namespace NativeThreading.Tests.EventLoops.Async;

/// <summary>The pool ends before the loop does: the loop counts nothing that will never come.</summary>
public sealed class OffloadToAStoppedPoolTests
{
    [Theory, CombinatorialBooleans]
    public async Task AStoppedPool_RefusesAndTheLoopCanStop(bool fromLoop)
    {
        await using var loop = new EventLoop();
        NativeThreadPool pool = Pools.WithThreads(1, "gone");
        pool.Dispose();
        void Offload()
        {
            Action[] calls =
            [
                () => loop.Offload(pool, static _ => { }, static _ => Assert.Fail("It ran."), null),
                () => loop.OffloadAsync(pool, () => { }),
                () => loop.OffloadAsync(pool, () => 1),
                () => loop.OffloadAsync(pool, () => Task.CompletedTask),
                () => loop.OffloadAsync(pool, () => Task.FromResult(1)),
            ];
            Assert.All(calls, call => Assert.Contains("gone", Assert.Throws<ObjectDisposedException>(call).ObjectName, StringComparison.Ordinal));
        }

        if (fromLoop)
        {
            loop.Call(Offload);
        }
        else
        {
            Offload();
        }

        Assert.Equal(0, await Deadline.For(loop.ShutdownAsync(CancellationToken.None)));
    }

    [Fact]
    public async Task AnItemThatIsRefused_KeepsNothingAlive()
    {
        await using var loop = new EventLoop();
        NativeThreadPool pool = Pools.WithThreads(1);
        pool.Dispose();
        Retention.AssertCollected(Refused(loop, pool));

        static WeakReference Refused(EventLoop loop, NativeThreadPool pool)
        {
            object state = new();
            Assert.Throws<ObjectDisposedException>(() => loop.Offload(pool, static _ => { }, static _ => { }, state));
            return new WeakReference(state);
        }
    }

    [Fact]
    public async Task WorkThatThePoolDrains_Completes()
    {
        await using var loop = new EventLoop();
        NativeThreadPool pool = Pools.WithThreads(1);
        int completed = 0;
        using (new BlockedWorkers(pool, 1))
        {
            loop.Offload(pool, static _ => { }, _ => completed++, null);
            _ = pool.ShutdownAsync(CancellationToken.None);
        }

        Assert.Equal(0, await Deadline.For(loop.ShutdownAsync(CancellationToken.None)));
        Assert.Equal(1, completed);
    }

    [Fact]
    public async Task T114_WorkThatThePoolDrops_DoesNotHoldTheLoopsShutdown()
    {
        await using var loop = new EventLoop();
        NativeThreadPool pool = Pools.WithThreads(1);
        Task<bool> operation;
        using (new BlockedWorkers(pool, 1))
        {
            for (int i = 0; i < 10; i++)
            {
                loop.Offload(pool, static _ => { }, static _ => Assert.Fail("It was dropped."), null);
            }

            operation = loop.OffloadAsync(pool, () => NativeThreadPool.Current is null);
            Task<long> stopped = loop.ShutdownAsync(CancellationToken.None);
            loop.SynchronizationContext.Send(_ => { }, null);
            Assert.Equal(11, await Deadline.For(pool.ShutdownAsync(new CancellationToken(canceled: true))));
            Assert.Equal(0, await Deadline.For(stopped)); // while the pool's worker is still stuck
        }

        await Assert.ThrowsAsync<TaskCanceledException>(() => Deadline.For(operation)); // its task says so, unlike the others
    }
}
