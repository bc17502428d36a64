using System.Collections.Concurrent;
using NativeThreading.Tests.Support;

namespace NativeThreading.Tests.Loops;

/// <summary>Loops on the threads of a pool: which threads take part, and what happens during the end of the pool.</summary>
public sealed class ParallelLoopTests
{
    /// <summary>All must meet, so so many threads take part; a further one would be counted.</summary>
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void MaxThreads_IsReachedWithTheCaller_AndNotExceeded(bool fromWorker)
    {
        using NativeThreadPool pool = Pools.WithThreads(3);
        using var together = new Barrier(3);
        var threads = new ConcurrentDictionary<Thread, NativeThreadPool?>();
        Action loop = () => pool.For(0, 30, _ =>
        {
            threads.TryAdd(Thread.CurrentThread, NativeThreadPool.Current);
            Assert.True(together.SignalAndWait(Deadline.Time));
        }, CancellationToken.None);
        if (fromWorker)
        {
            Deadline.Wait(pool.Run(loop, CancellationToken.None));
        }
        else
        {
            loop();
        }

        Assert.Equal(3, threads.Count);
        Assert.Equal(fromWorker ? 3 : 2, threads.Count(thread => thread.Value == pool));
    }

    [Fact]
    public void NestedLoops_NeedNoFurtherThread()
    {
        using NativeThreadPool pool = Pools.WithThreads(2);
        int ran = 0;
        Deadline.Wait(pool.Run(
            () => pool.For(0, 20, _ => pool.For(0, 20, _ => pool.Invoke(() => Interlocked.Increment(ref ran), () => Interlocked.Increment(ref ran)))),
            CancellationToken.None));
        Assert.Equal(800, ran);
    }

    [Fact]
    public void LoopOnAPoolWhoseThreadsAreBlocked_Completes()
    {
        using NativeThreadPool pool = Pools.WithThreads(2);
        using var gate = new ManualResetEventSlim();
        using var blocked = new CountdownEvent(2);
        for (int i = 0; i < 2; i++)
        {
            pool.QueueUserWorkItem(_ =>
            {
                blocked.Signal();
                Deadline.Wait(gate);
            });
        }

        Deadline.Wait(blocked);
        int ran = 0;
        pool.For(0, 1000, _ => ran++, CancellationToken.None); // the caller alone
        Assert.Equal(1000, ran);
        gate.Set();
        pool.WaitUntilQuiet();
    }

    [Fact]
    public void LoopThatHasEnded_KeepsNothing_AndALateHelperDoesNothing()
    {
        using NativeThreadPool pool = Pools.WithThreads(1);
        using NativeThreadPool other = Pools.WithThreads(2);
        pool.WaitUntilQuiet();
        Retention.AssertCollected(Loop(other));

        static WeakReference Loop(NativeThreadPool pool)
        {
            object target = new();
            pool.For(0, 100, _ => GC.KeepAlive(target), CancellationToken.None);
            pool.WaitUntilQuiet();
            return new WeakReference(target);
        }
    }

    [Fact]
    public void HelperThatStartsAfterTheEnd_QueuesNoOthers()
    {
        using NativeThreadPool pool = new(new NativeThreadPoolOptions { MaxThreads = 4, MaxBlockedThreads = 0, MaxRescueThreads = 0 });
        using (new BlockedWorkers(pool, 4))
        {
            pool.For(0, 1000, static _ => { }, CancellationToken.None); // the caller alone
            Assert.Equal(1, pool.PendingWorkItemCount);
        }

        pool.WaitUntilQuiet();
        Deadline.Until(() => pool.CompletedWorkItemCount >= 4 + 1);
        pool.WaitUntilQuiet();
        Assert.Equal(4 + 1, pool.CompletedWorkItemCount);
    }

    /// <summary>Its loop runs all the same, so no work is lost.</summary>
    [Fact]
    public void HelperThatAStopDrops_IsNotCounted()
    {
        NativeThreadPool pool = new(new NativeThreadPoolOptions { MaxThreads = 2, MaxBlockedThreads = 0, MaxRescueThreads = 0 });
        int ran = 0;
        using (new BlockedWorkers(pool, 2))
        {
            pool.For(
                0,
                100,
                _ =>
                {
                    if (++ran == 1)
                    {
                        Assert.Equal(1, pool.PendingWorkItemCount);
                        Assert.Equal(0, Deadline.Result(pool.ShutdownAsync(new CancellationToken(canceled: true))));
                    }
                },
                CancellationToken.None);
        }

        Assert.Equal(100, ran);
    }

    [Fact]
    public void ShutDownPool_RejectsLoopsFromOutside_AndRunsThoseOfItsItems()
    {
        NativeThreadPool pool = Pools.WithThreads(2);
        using var gate = new ManualResetEventSlim();
        int ran = 0;
        Task item = pool.Run(
            () =>
            {
                Deadline.Wait(gate);
                pool.For(0, 100, _ => Interlocked.Increment(ref ran));
            },
            CancellationToken.None);
        Task<long> stopped = pool.ShutdownAsync(CancellationToken.None);
        Assert.Throws<ObjectDisposedException>(() => pool.For(0, 100, _ => Interlocked.Increment(ref ran), CancellationToken.None));
        Assert.Throws<ObjectDisposedException>(() => pool.Invoke(() => ran++));
        gate.Set();
        Deadline.Wait(item);
        Deadline.Wait(stopped);
        Assert.Equal(100, ran);
    }

    [Fact]
    [Trait("Category", "Race")]
    public void EachIterationRunsOnce_WhateverEndsTheLoop()
    {
        foreach (int round in Soak.Repeat(100))
        {
            var pool = new NativeThreadPool(new NativeThreadPoolOptions { MaxThreads = 3 });
            using var stop = new CancellationTokenSource();
            using var cancel = new CancellationTokenSource();
            var seen = new int[2000];
            StartGate.Run(2, index =>
            {
                if (index == 0)
                {
                    Task stopped = pool.ShutdownAsync(stop.Token);
                    stop.CancelAfter(round % 3);
                    cancel.CancelAfter(round % 2 == 0 ? 1 : 30_000);
                    Deadline.Wait(stopped);
                    return;
                }

                try
                {
                    for (int repeat = 0; repeat < 20; repeat++)
                    {
                        Array.Clear(seen);
                        if (repeat % 2 == 0)
                        {
                            pool.For(0, seen.Length, i => seen[i]++, cancel.Token);
                        }
                        else
                        {
                            pool.ForEach(Enumerable.Range(0, seen.Length).Where(static _ => true), i => seen[i]++, cancel.Token);
                        }

                        Assert.All(seen, static times => Assert.Equal(1, times));
                    }
                }
                catch (Exception exception) when (exception is ObjectDisposedException or OperationCanceledException)
                {
                }
            });
            Assert.All(seen, static times => Assert.InRange(times, 0, 1));
        }
    }
}
