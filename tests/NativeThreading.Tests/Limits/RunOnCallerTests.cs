using System.Runtime.CompilerServices;
using NativeThreading.Tests.Support;

namespace NativeThreading.Tests.Limits;

/// <summary>QueueFullMode.RunOnCaller: what is over the limit runs at once, where it was queued.</summary>
public sealed class RunOnCallerTests
{
    public static TheoryData<string> Synchronous => EntryCall.Synchronous;

    public static TheoryData<string> Asynchronous => EntryCall.Asynchronous;

    [Theory, MemberData(nameof(Synchronous))]
    public void SynchronousCall_RunsOnTheCaller_OutsideAndOnAWorker(string call) =>
        RunsOnTheCaller((pool, item) => pool.Queue(call, item));

    [Theory, MemberData(nameof(Asynchronous))]
    public void AsynchronousCall_RunsOnTheCaller_OutsideAndOnAWorker(string call) =>
        RunsOnTheCaller((pool, item) => _ = pool.QueueAsync(call, item));

    [Fact]
    public void Item_HasItsOwnContexts_AndTheCallerFindsItsOwnAgain()
    {
        var local = new AsyncLocal<string?>();
        using NativeThreadPool pool = Limited.Pool(1, QueueFullMode.RunOnCaller);
        var seen = new List<(string?, SynchronizationContext?)>();
        void Item()
        {
            seen.Add((local.Value, SynchronizationContext.Current));
            local.Value = "item";
            SynchronizationContext.SetSynchronizationContext(new SynchronizationContext());
        }

        using (new BlockedWorkers(pool, 1))
        {
            pool.Fill();
            var context = new SynchronizationContext();
            StartGate.Run(1, _ =>
            {
                local.Value = "caller";
                SynchronizationContext.SetSynchronizationContext(context);
                pool.QueueUserWorkItem(_ => Item());
                pool.UnsafeQueueUserWorkItem(_ => Item(), null);
                pool.Run(Item).GetAwaiter().GetResult();
                Assert.Equal(("caller", context), (local.Value, SynchronizationContext.Current));
            });
        }

        Assert.Equal([("caller", null), (null, null), ("caller", null)], seen);
    }

    [Fact]
    public void AsyncFunction_BeginsOnTheCaller_AndGoesOnOnThePool()
    {
        using NativeThreadPool pool = Limited.Pool(1, QueueFullMode.RunOnCaller);
        Task<(Thread, NativeThreadPool?)> operation;
        using (new BlockedWorkers(pool, 1))
        {
            pool.Fill();
            operation = pool.Run(async () =>
            {
                Thread began = Thread.CurrentThread;
                await Task.Yield();
                return (began, NativeThreadPool.Current);
            });
            Assert.False(operation.IsCompleted);
        }

        Assert.Equal((Thread.CurrentThread, pool), Deadline.Result(operation));
    }

    [Theory, CombinatorialBooleans]
    public void WhatDisposesOfItsPoolOnItsCaller_DoesNotWaitForItself(bool isOperation)
    {
        NativeThreadPool pool = Limited.Pool(1, QueueFullMode.RunOnCaller);
        using (new BlockedWorkers(pool, 1))
        {
            pool.Fill();
            Task? disposal = null;
            StartGate.Run(1, _ => disposal = isOperation ? pool.RunAsync(DisposeInOperation) : pool.RunAsync(pool.Dispose));
            Assert.True(disposal!.IsCompletedSuccessfully);
        }

        Assert.Equal(0, Deadline.Result(pool.ShutdownAsync(CancellationToken.None)));

        Task DisposeInOperation()
        {
            pool.Dispose();
            return Task.CompletedTask;
        }
    }

    /// <summary>It is none of the pool's threads: an await on the pool does not continue there.</summary>
    [Fact]
    public void OperationOnItsCaller_ResumesNothingOfThePoolInPlace()
    {
        using NativeThreadPool pool = Limited.Pool(1, QueueFullMode.RunOnCaller);
        var source = new TaskCompletionSource();
        Task<NativeThreadPool?> awaiting = pool.Run(async () =>
        {
            await source.Task;
            return NativeThreadPool.Current;
        });
        pool.WaitUntilQuiet();
        using (new BlockedWorkers(pool, 1))
        {
            pool.Fill();
            Deadline.Wait(pool.Run(() =>
            {
                Assert.NotSame(pool, NativeThreadPool.Current);
                source.SetResult();
                return Task.CompletedTask;
            }));
            Assert.False(awaiting.IsCompleted);
        }

        Assert.Same(pool, Deadline.Result(awaiting));
    }

    [Fact]
    public async Task Shutdown_WaitsForAnOperationThatBeganOnItsCaller()
    {
        NativeThreadPool pool = Limited.Pool(1, QueueFullMode.RunOnCaller);
        var gate = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        Task operation;
        using (new BlockedWorkers(pool, 1))
        {
            pool.Fill();
            operation = pool.Run(async () => await gate.Task);
        }

        pool.WaitUntilQuiet();
        Task<long> stopped = pool.ShutdownAsync(CancellationToken.None);
        Assert.False(stopped.IsCompleted);
        gate.SetResult();
        await Deadline.For(operation);
        Assert.Equal(0, await Deadline.For(stopped));
        Assert.Equal(0, pool.RanElsewhereCount);
    }

    [Fact]
    public void ExceptionOfARawItem_IsTheCallers_UnlessThePoolsHandlerWantsIt()
    {
        using NativeThreadPool pool = Limited.Pool(1, QueueFullMode.RunOnCaller, handler: static exception => exception is TimeoutException);
        using (new BlockedWorkers(pool, 1))
        {
            pool.Fill();
            Assert.Throws<FormatException>(() => pool.QueueUserWorkItem(_ => throw new FormatException()));
            Assert.True(pool.QueueUserWorkItem(_ => throw new TimeoutException()));
            Assert.IsType<FormatException>(pool.RunAsync((Action)(() => throw new FormatException()), CancellationToken.None).Exception!.InnerException);
        }
    }

    [Fact]
    public void ItemsThatQueueThemselves_AreRefusedWhenTheStackEnds()
    {
        using NativeThreadPool pool = Limited.Pool(1, QueueFullMode.RunOnCaller);
        int depth = 0;
        QueueFullException? raw = null, task = null;
        void Queue()
        {
            depth++;
            try
            {
                pool.UnsafeQueueUserWorkItem(_ => Queue(), null);
            }
            catch (QueueFullException exception)
            {
                raw ??= exception;
            }
        }

        void Run()
        {
            try
            {
                pool.Run(Run).GetAwaiter().GetResult();
            }
            catch (QueueFullException exception)
            {
                task ??= exception;
            }
        }

        pool.OnWorker(() =>
        {
            pool.Fill();
            Queue();
            for (int bytes = 0; bytes < 2_048; bytes += 64)
            {
                From(bytes, Run); // wherever exactly the stack ends, no thread blocks for a task that was not run in place
            }
        });
        Assert.Contains("stack", raw?.Message, StringComparison.Ordinal);
        Assert.Contains("stack", task?.Message, StringComparison.Ordinal);
        Assert.True(depth > 100, $"only {depth} deep");
        pool.AssertEmpty();
    }

    [Fact]
    public void ExceptionUnderADeepStackOfItems_ReachesTheOutermostCaller()
    {
        using NativeThreadPool pool = Limited.Pool(1, QueueFullMode.RunOnCaller);
        void Queue(object? state) => pool.QueueUserWorkItem(Queue);
        Exception? thrown = pool.OnWorker(() =>
        {
            pool.Fill();
            return Record.Exception(() => Queue(null));
        });
        Assert.IsType<QueueFullException>(thrown);
        pool.AssertEmpty();
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static unsafe void From(int bytes, Action action)
    {
        byte* used = stackalloc byte[bytes + 1];
        Volatile.Write(ref used[bytes], 0);
        action();
        Volatile.Write(ref used[0], 0);
    }

    private static void RunsOnTheCaller(Action<NativeThreadPool, Action> queue)
    {
        using NativeThreadPool pool = Limited.Pool(2, QueueFullMode.RunOnCaller);
        var ranOn = new List<Thread>();
        int ran = 0;
        using (new BlockedWorkers(pool, 1))
        {
            queue(pool, () => ran++);
            pool.Fill(() => ran++);
            queue(pool, () => ranOn.Add(Thread.CurrentThread));
            Assert.Equal([Thread.CurrentThread], ranOn);
        }

        pool.AssertEmpty();
        Thread worker = pool.OnWorker(() =>
        {
            pool.Fill(() => ran++);
            queue(pool, () => ranOn.Add(Thread.CurrentThread));
            return ranOn.Count == 2 ? Thread.CurrentThread : null!;
        });
        Assert.Equal([Thread.CurrentThread, worker], ranOn);
        pool.AssertEmpty();
        Assert.Equal(4, ran);
    }
}
