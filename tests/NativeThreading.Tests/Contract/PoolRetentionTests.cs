using System.Runtime.CompilerServices;
using NativeThreading.Tests.Support;

namespace NativeThreading.Tests.Contract;

/// <summary>Nothing keeps finished tasks, groups and pools alive.</summary>
public sealed class PoolRetentionTests
{
    [Fact]
    public void T91_DisposedPool_IsForgotten() => Retention.AssertCollected(UsePool());

    [Theory, CombinatorialBooleans]
    public void T91_StoppedPool_IsNotKeptByTheTokenItWasGiven(bool late)
    {
        using var cancellation = new CancellationTokenSource();
        Retention.AssertCollected(ShutDownPool(late, cancellation.Token));
    }

    [Fact]
    public void TasksAndGroupsAreForgotten()
    {
        using NativeThreadPool pool = Pools.WithThreads(2);
        WeakReference[] targets = [RunTask(pool), .. RunGroup(pool)];
        pool.WaitUntilQuiet();
        Retention.AssertCollected(targets);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static WeakReference RunTask(NativeThreadPool pool)
    {
        Task<Target> task = pool.Run(static () => new Target());
        Deadline.Wait(task);
        return new WeakReference(task.Result);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static WeakReference[] RunGroup(NativeThreadPool pool)
    {
        var group = new WorkGroup(pool);
        var state = new Target();
        group.Queue(static target => target.Use(target), state);
        Assert.True(group.Wait(Deadline.Time));
        return [new WeakReference(group), new WeakReference(state)];
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static WeakReference UsePool()
    {
        var pool = new NativeThreadPool(new NativeThreadPoolOptions { MaxThreads = 2 });
        pool.OnWorker(static () => { });
        pool.Dispose();
        return new WeakReference(pool);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static WeakReference ShutDownPool(bool late, CancellationToken token)
    {
        var pool = new NativeThreadPool(new NativeThreadPoolOptions { MaxThreads = 1 });
        if (late)
        {
            pool.Dispose();
        }
        else
        {
            pool.OnWorker(static () => { });
        }

        Deadline.Wait(pool.ShutdownAsync(token));
        return new WeakReference(pool);
    }

    private sealed class Target
    {
        public void Use(Target other) => GC.KeepAlive(other);
    }
}
