using NativeThreading.Tests.Support;

namespace NativeThreading.Tests.Limits;

/// <summary>QueueFullMode.Wait: callers wait for a permit, blocked or not, and are served in order.</summary>
public sealed class WaitTests
{
    public static TheoryData<string> Synchronous => EntryCall.Synchronous;

    public static TheoryData<string> Asynchronous => EntryCall.Asynchronous;

    [Theory, MemberData(nameof(Synchronous))]
    public void SynchronousCall_BlocksUntilThereIsAPlace(string call)
    {
        using NativeThreadPool pool = Limited.Pool(2, QueueFullMode.Wait);
        int ran = 0;
        using var returned = new ManualResetEventSlim();
        using (new BlockedWorkers(pool, 1))
        {
            pool.Fill(() => ran++);
            Thread caller = Started(() =>
            {
                pool.Queue(call, () => ran++);
                returned.Set();
            });
            pool.WaitForWaiters(1);
            Assert.False(returned.IsSet);
        }

        Deadline.Wait(returned);
        pool.AssertEmpty();
        Assert.Equal(3, ran);
    }

    [Theory, MemberData(nameof(Synchronous))]
    public void SynchronousCallOfItsOwnWorker_IsRefused_ForItWouldWaitForItself(string call)
    {
        using NativeThreadPool pool = Limited.Pool(2, QueueFullMode.Wait);
        int ran = 0;
        pool.OnWorker(() =>
        {
            pool.Queue(call, () => ran++);
            pool.Fill(() => ran++);
            var exception = Assert.Throws<QueueFullException>(() => pool.Queue(call, () => ran += 100));
            Assert.Contains("RunAsync", exception.Message, StringComparison.Ordinal);
        });
        pool.AssertEmpty();
        Assert.Equal(2, ran);
    }

    [Theory, MemberData(nameof(Asynchronous))]
    public async Task AsynchronousCall_CompletesWhenThereIsAPlace(string call)
    {
        using NativeThreadPool pool = Limited.Pool(2, QueueFullMode.Wait);
        int ran = 0;
        Task first, waiting;
        using (new BlockedWorkers(pool, 1))
        {
            first = pool.QueueAsync(call, () => ran++, TestContext.Current.CancellationToken);
            pool.Fill(() => ran++);
            waiting = pool.QueueAsync(call, () => ran++, TestContext.Current.CancellationToken);
            Assert.Equal((1, false), (pool.Probe.WaitingCallers, waiting.IsCompleted));
        }

        await Deadline.For(first);
        await Deadline.For(waiting);
        pool.AssertEmpty();
        Assert.Equal(3, ran);
    }

    [Theory, MemberData(nameof(Asynchronous))]
    public async Task AsynchronousCallOfItsOwnWorker_WaitsWithoutTheWorker(string call)
    {
        using NativeThreadPool pool = Limited.Pool(1, QueueFullMode.Wait);
        int ran = 0;
        await Deadline.For(pool.Run(async () =>
        {
            for (int i = 0; i < 100; i++)
            {
                await pool.QueueAsync(call, () => ran++);
                Assert.Same(pool, NativeThreadPool.Current);
            }
        }));
        pool.AssertEmpty();
        Assert.Equal(100, ran);
    }

    [Fact]
    public void CallersOfBothKinds_AreServedInTheOrderInWhichTheyCame()
    {
        const int callers = 24;
        using NativeThreadPool pool = Limited.Pool(2, QueueFullMode.Wait);
        var order = new List<int>();
        var threads = new List<Thread>();
        var tasks = new List<Task>();
        using (new BlockedWorkers(pool, 1))
        {
            pool.Fill();
            for (int i = 0; i < callers; i++)
            {
                int number = i;
                switch (number % 4)
                {
                    case 0:
                        threads.Add(Started(() => pool.QueueUserWorkItem(_ => order.Add(number))));
                        break;
                    case 1:
                        tasks.Add(pool.QueueAsync(order.Add, number, CancellationToken.None).AsTask());
                        break;
                    case 2:
                        threads.Add(Started(() => pool.Run(() => order.Add(number))));
                        break;
                    default:
                        tasks.Add(pool.RunAsync(() => order.Add(number), CancellationToken.None));
                        break;
                }

                pool.WaitForWaiters(number + 1);
            }
        }

        threads.ForEach(thread => Deadline.Join(thread));
        Deadline.Wait(Task.WhenAll(tasks));
        pool.AssertEmpty();
        Assert.Equal(Enumerable.Range(0, callers), order);
    }

    [Fact]
    public void Newcomer_DoesNotOvertakeTheLine_ThoughAPlaceIsFree()
    {
        using NativeThreadPool pool = Limited.Pool(1, QueueFullMode.Wait);
        using var source = new CancellationTokenSource();
        using (new BlockedWorkers(pool, 1))
        {
            Task cancelled = pool.RunAsync(() => { }, source.Token);
            ValueTask first = pool.QueueAsync(_ => { }, null, CancellationToken.None);
            ValueTask second = pool.QueueAsync(_ => { }, null, CancellationToken.None);
            Assert.False(first.IsCompleted);
            source.Cancel(); // its permit goes to the first that waits
            Assert.True(cancelled.IsCanceled);
            Deadline.Wait(first.AsTask());
            Assert.False(pool.TryQueueUserWorkItem(_ => { }, null));
            Assert.False(second.IsCompleted);
            Assert.Equal((1, 1), (pool.Probe.HeldPermits, pool.Probe.WaitingCallers));
        }

        pool.AssertEmpty();
    }

    [Fact]
    public void Newcomer_DoesNotTakeThePlaceThatIsAboutToBeGranted()
    {
        using NativeThreadPool pool = Limited.Pool(1, QueueFullMode.Wait);
        using var blocked = new BlockedWorkers(pool, 1);
        pool.Fill();
        Task waiting = pool.QueueAsync(_ => { }, null, CancellationToken.None).AsTask();
        using (pool.Probe.HoldWaitingCallers())
        {
            blocked.Release();
            Deadline.Until(() => pool.Probe.HeldPermits == 0); // the worker cannot grant it yet
            Assert.False(pool.TryQueueUserWorkItem(_ => { }, null));
        }

        Deadline.Wait(waiting);
        pool.AssertEmpty();
    }

    [Fact]
    public void WaitingRun_HasTheResultAndStaysOnThePool()
    {
        using NativeThreadPool pool = Limited.Pool(1, QueueFullMode.Wait);
        Task<(NativeThreadPool?, NativeThreadPool?, TaskScheduler)> waiting;
        using (new BlockedWorkers(pool, 1))
        {
            pool.Fill();
            waiting = pool.RunAsync(async () =>
            {
                NativeThreadPool? before = NativeThreadPool.Current;
                await Task.Yield();
                return (before, NativeThreadPool.Current, TaskScheduler.Current);
            });
        }

        Assert.Equal((pool, pool, TaskScheduler.Default), Deadline.Result(waiting));
    }

    [Fact]
    public void WaitingCalls_FlowTheCallersContext()
    {
        var local = new AsyncLocal<string>();
        using NativeThreadPool pool = Limited.Pool(1, QueueFullMode.Wait);
        var seen = new List<string?>();
        var tasks = new List<Task>();
        using (new BlockedWorkers(pool, 1))
        {
            pool.Fill();
            local.Value = "caller";
            tasks.Add(pool.QueueAsync(_ => seen.Add(local.Value), null, CancellationToken.None).AsTask());
            tasks.Add(pool.RunAsync(() => seen.Add(local.Value), CancellationToken.None));
            local.Value = "later";
        }

        Deadline.Wait(Task.WhenAll(tasks));
        pool.AssertEmpty();
        Assert.Equal(["caller", "caller"], seen);
    }

    [Fact]
    public void WhoeverMakesThePlace_DoesNotRunTheWaitersContinuation()
    {
        using NativeThreadPool pool = Limited.Pool(1, QueueFullMode.Wait);
        Task<string?> continued;
        using (new BlockedWorkers(pool, 1))
        {
            pool.Fill();
            continued = pool.QueueAsync(_ => { }, null, CancellationToken.None).AsTask().ContinueWith(
                _ => Thread.CurrentThread.Name, CancellationToken.None, TaskContinuationOptions.ExecuteSynchronously, TaskScheduler.Default);
        }

        Assert.DoesNotContain("limited-worker", Deadline.Result(continued) ?? "", StringComparison.Ordinal);
    }

    [Fact]
    public void InterruptedCaller_LeavesTheLine()
    {
        using NativeThreadPool pool = Limited.Pool(1, QueueFullMode.Wait);
        Exception? thrown = null;
        using (new BlockedWorkers(pool, 1))
        {
            pool.Fill();
            Thread caller = Started(() => thrown = Record.Exception(() => pool.QueueUserWorkItem(_ => { })));
            pool.WaitForWaiters(1);
            caller.Interrupt();
            Deadline.Join(caller);
            Assert.IsType<ThreadInterruptedException>(thrown);
            Assert.Equal(0, pool.Probe.WaitingCallers);
        }

        pool.AssertEmpty();
    }

    [Fact]
    public void WorkerOfAnotherPool_ThatWaitsForAPlace_IsReplacedMeanwhile()
    {
        using NativeThreadPool pool = Limited.Pool(1, QueueFullMode.Wait);
        using var other = new NativeThreadPool(new NativeThreadPoolOptions { Name = "other", MaxThreads = 1, MaxBlockedThreads = 1 });
        Task waiting;
        using (new BlockedWorkers(pool, 1))
        {
            pool.Fill();
            waiting = other.Run(() => { pool.QueueUserWorkItem(_ => { }); });
            pool.WaitForWaiters(1);
            Assert.Equal(42, other.OnWorker(() => 42));
        }

        Deadline.Wait(waiting);
        pool.AssertEmpty();
    }

    private static Thread Started(Action body)
    {
        var thread = new Thread(() => body()) { IsBackground = true };
        thread.Start();
        return thread;
    }
}
