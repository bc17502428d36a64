using NativeThreading.Tests.Support;

namespace NativeThreading.Tests.Shutdown;

/// <summary>A stop by token drops raw items, whatever their state is, cancels calls of Run, and runs tasks of the scheduler and continuations
/// elsewhere.</summary>
public sealed class DroppedItemsTests
{
    [Fact]
    public async Task ItemWhoseStateIsATask_IsDroppedAndCounted()
    {
        NativeThreadPool pool = Pools.WithThreads(1);
        var state = new Task(static () => { });
        int ran = 0;
        using (new BlockedWorkers(pool, 1))
        {
            pool.QueueUserWorkItem(_ => Interlocked.Increment(ref ran), state);
            pool.UnsafeQueueUserWorkItem(_ => Interlocked.Increment(ref ran), state);
            pool.QueueUserWorkItem(_ => Interlocked.Increment(ref ran), state, preferLocal: true);
            pool.UnsafeQueueUserWorkItem(_ => Interlocked.Increment(ref ran), Task.CompletedTask, preferLocal: false);
            Assert.Equal(4, await Stop(pool));
        }

        Deadline.Until(() => pool.ThreadCount == 0);
        Assert.Equal((0, 0L), (ran, pool.RanElsewhereCount));
    }

    [Fact]
    public async Task ItemsOfAGroupWhoseStatesAreTasks_AreDroppedAndTheWaiterIsTold()
    {
        NativeThreadPool pool = Pools.WithThreads(1);
        var group = new WorkGroup(pool, WorkGroupErrors.All);
        int ran = 0;
        using (new BlockedWorkers(pool, 1))
        {
            group.QueueRange(_ => Interlocked.Increment(ref ran), [Task.CompletedTask, Task.CompletedTask, Task.CompletedTask]);
            Assert.Equal(3, await Stop(pool));
            Assert.Equal(3, Assert.Throws<AggregateException>(() => group.Wait(Deadline.Time)).InnerExceptions.Count);
        }

        Assert.Equal((0, 0L), (ran, pool.RanElsewhereCount));
    }

    [Theory]
    [InlineData(null)]
    [InlineData(100)]
    public async Task WhatGoesOnWithAcceptedWork_RunsElsewhere_BesideItemsThatAreDropped(int? limit)
    {
        var pool = new NativeThreadPool(new NativeThreadPoolOptions { MaxThreads = 1, MaxBlockedThreads = 0, QueueLimit = limit });
        using var continued = new ManualResetEventSlim();
        List<Task> tasks = [], calls = [];
        int ran = 0;
        using (new BlockedWorkers(pool, 1))
        {
            for (int i = 0; i < 10; i++)
            {
                pool.UnsafeQueueUserWorkItem(_ => Interlocked.Increment(ref ran), Task.CompletedTask);
                calls.Add(pool.Run(static () => { }));
                calls.Add(pool.Run(static async () => await Task.Yield()));
                tasks.Add(pool.Factory.StartNew(static _ => { }, Task.CompletedTask));
            }

            pool.UnsafeQueueContinuation(static continued => continued.Set(), continued, preferLocal: false);
            Assert.Equal(30, await Stop(pool));
            await Deadline.For(Task.WhenAll(tasks));
            Deadline.Wait(continued);
            foreach (Task call in calls)
            {
                await Assert.ThrowsAnyAsync<OperationCanceledException>(() => Deadline.For(call));
            }
        }

        Assert.Equal(0, ran);
    }

    private static Task<long> Stop(NativeThreadPool pool) => Deadline.For(pool.ShutdownAsync(new CancellationToken(canceled: true)));
}
