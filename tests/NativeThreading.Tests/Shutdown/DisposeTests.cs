using NativeThreading.Tests.Support;

namespace NativeThreading.Tests.Shutdown;

/// <summary>The two disposals.</summary>
public sealed class DisposeTests
{
    [Fact]
    public void Dispose_WaitsForTheWork()
    {
        NativeThreadPool pool = Pools.WithThreads(2);
        int ran = 0;
        for (int i = 0; i < 1_000; i++)
        {
            pool.UnsafeQueueUserWorkItem(_ => Interlocked.Increment(ref ran), null);
        }

        pool.Dispose();
        Assert.Equal((1_000, 0), (ran, pool.ThreadCount));
        pool.Dispose();
    }

    [Fact]
    public async Task DisposeAsync_WaitsForTheWork()
    {
        int ran = 0;
        NativeThreadPool pool = Pools.WithThreads(2);
        await using (pool)
        {
            for (int i = 0; i < 1_000; i++)
            {
                pool.UnsafeQueueUserWorkItem(_ => Interlocked.Increment(ref ran), null);
            }
        }

        Assert.Equal((1_000, 0), (ran, pool.ThreadCount));
        await pool.DisposeAsync();
    }

    [Fact]
    public void DisposeOfANeverUsedPool_ReturnsAtOnce() => new NativeThreadPool().Dispose();

    [Theory, CombinatorialBooleans]
    public void DisposeFromAWorker_BeginsTheShutdownAndDoesNotJoinItself(bool asTask)
    {
        NativeThreadPool pool = Pools.WithThreads(1);
        int ran = 0;
        using var disposed = new Observation<bool>(() =>
        {
            pool.UnsafeQueueUserWorkItem(_ => ran++, null);
            pool.Dispose();
            return true;
        });
        if (asTask)
        {
            pool.Run(() => disposed.Observe(null));
        }
        else
        {
            pool.QueueUserWorkItem(disposed.Observe);
        }

        Assert.True(disposed.Result);
        Assert.Equal(0, Deadline.Result(pool.ShutdownAsync(CancellationToken.None)));
        Assert.Equal((1, 0), (ran, pool.ThreadCount));
        Assert.Throws<ObjectDisposedException>(() => pool.QueueUserWorkItem(static _ => { }));
    }

    [Fact]
    public void DisposeFromAnotherPoolsWorker_Waits()
    {
        using NativeThreadPool other = Pools.WithThreads(1, "other");
        NativeThreadPool pool = Pools.WithThreads(1);
        int ran = 0;
        for (int i = 0; i < 100; i++)
        {
            pool.UnsafeQueueUserWorkItem(_ => ran++, null);
        }

        Assert.Equal(100, other.OnWorker(() =>
        {
            pool.Dispose();
            return ran;
        }));
    }

    [Fact]
    public async Task Shared_CannotBeDisposed()
    {
        NativeThreadPool shared = NativeThreadPool.Shared;
        Assert.Throws<InvalidOperationException>(shared.Dispose);
        await Assert.ThrowsAsync<InvalidOperationException>(async () => await shared.DisposeAsync());
        await Assert.ThrowsAsync<InvalidOperationException>(() => shared.ShutdownAsync(CancellationToken.None));
        Assert.Same(shared, shared.OnWorker(() => NativeThreadPool.Current));
    }

    [Fact]
    public void T91_DisposedPool_StillAnswersItsProperties()
    {
        NativeThreadPool pool = Pools.WithThreads(1, "gone");
        pool.OnWorker(() => { });
        pool.Dispose();
        Assert.Equal(("gone", 0, 0L, 1L), (pool.Name, pool.ThreadCount, pool.PendingWorkItemCount, pool.CompletedWorkItemCount));
    }
}
