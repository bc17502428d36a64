using System.Collections.Concurrent;
using NativeThreading.Tests.Support;

namespace NativeThreading.Tests.Contract;

/// <summary>What the pool's threads are.</summary>
public sealed class WorkerThreadTests
{
    [Fact]
    public void T115_ThreadsAreNamedAfterPoolAndNumber()
    {
        const int threads = 3;
        using NativeThreadPool pool = Pools.WithThreads(threads, "orders");
        var names = new ConcurrentBag<string?>();
        using var all = new Barrier(threads);
        using var ran = new CountdownEvent(threads);
        for (int i = 0; i < threads; i++)
        {
            pool.QueueUserWorkItem(_ =>
            {
                names.Add(Thread.CurrentThread.Name);
                all.SignalAndWait(Deadline.Time);
                ran.Signal();
            });
        }

        Deadline.Wait(ran);
        Assert.Equal(["orders-worker-0", "orders-worker-1", "orders-worker-2"], names.Order());
    }

    [Fact]
    public void ThreadsAreBackgroundThreadsOfNormalPriorityAndNotOfTheRuntimesPool()
    {
        using NativeThreadPool pool = Pools.WithThreads(1);
        Assert.Equal(
            (true, ThreadPriority.Normal, false),
            pool.OnWorker(() => (
                Thread.CurrentThread.IsBackground, Thread.CurrentThread.Priority, Thread.CurrentThread.IsThreadPoolThread)));
    }

    [Fact]
    public void T35_ThreadIsResetForTheVeryNextItem()
    {
        using NativeThreadPool pool = Pools.WithThreads(1, "reset");
        using var seen = new Observation<(string?, bool, ThreadPriority)>(() => (
            Thread.CurrentThread.Name, Thread.CurrentThread.IsBackground, Thread.CurrentThread.Priority));
        using (new BlockedWorkers(pool, 1))
        {
            pool.UnsafeQueueUserWorkItem(
                static _ =>
                {
                    Thread.CurrentThread.Name = "renamed by an item";
                    Thread.CurrentThread.IsBackground = false;
                    Thread.CurrentThread.Priority = ThreadPriority.AboveNormal;
                },
                null);
            pool.UnsafeQueueUserWorkItem(seen.Observe, null);
        }

        Assert.Equal(("reset-worker-0", true, ThreadPriority.Normal), seen.Result);
    }

    [Fact]
    public void MaxStackSize_IsWhatAThreadGets()
    {
        // 64 MiB of frames overflow the default stack of 8 MiB (1.5 on musl), which would end the process.
        using var pool = new NativeThreadPool(new NativeThreadPoolOptions { MaxThreads = 1, MaxStackSize = 128 * 1024 * 1024 });
        Assert.Equal(1_024, pool.OnWorker(() => Recurse(1_024)));

        static int Recurse(int depth)
        {
            Span<byte> frame = stackalloc byte[64 * 1024];
            frame[depth % frame.Length] = 1;
            return depth == 0 ? 0 : frame[depth % frame.Length] + Recurse(depth - 1);
        }
    }

    [Fact]
    public void Current_IsThePoolOfTheCallingWorker()
    {
        Assert.Null(NativeThreadPool.Current);
        using NativeThreadPool first = Pools.WithThreads(1, "first");
        using NativeThreadPool second = Pools.WithThreads(1, "second");
        Assert.Same(first, first.OnWorker(() => NativeThreadPool.Current));
        Assert.Same(second, second.OnWorker(() => NativeThreadPool.Current));
        Assert.Null(Deadline.Result(Task.Run(() => NativeThreadPool.Current)));
    }
}
