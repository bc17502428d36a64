using NativeThreading.Tests.Support;

namespace NativeThreading.Tests.Tasks;

/// <summary>Waiting for a task: run there and then on a worker, never on a foreign thread, never a deadlock (T38).</summary>
/// <remarks>
/// The runtime runs a task inline only for a wait without a limit. Items wait like that; the test itself waits for them
/// with a deadline, and a pool with an item that hangs is left alone.
/// </remarks>
public sealed class InliningTests
{
    [Fact]
    public void T38_WaitOnAWorker_RunsTheTaskThereAndTakesItOutOfTheQueue()
    {
        NativeThreadPool pool = Pools.WithThreads(1);
        pool.OnWorker(() =>
        {
            int thread = Environment.CurrentManagedThreadId;
            int ran = 0;
            for (int i = 0; i < 100; i++)
            {
                Task<int> task = pool.Factory.StartNew(() =>
                {
                    ran++;
                    return Environment.CurrentManagedThreadId;
                });
                Assert.Equal(thread, task.Result);
            }

            Assert.Equal((100, 0L), (ran, pool.PendingWorkItemCount));
        });
        pool.Dispose();
    }

    [Fact]
    public void T38_TaskQueuedFromOutside_IsTakenOutOfTheInjectorQueueToo()
    {
        NativeThreadPool pool = Pools.WithThreads(1);
        using var entered = new ManualResetEventSlim();
        using var queued = new ManualResetEventSlim();
        Task<int>? task = null;
        using var seen = new Observation<(bool Same, long Pending)>(() =>
        {
            entered.Set();
            queued.Wait(Deadline.Time);
            return (task!.Result == Environment.CurrentManagedThreadId, pool.PendingWorkItemCount);
        });
        pool.QueueUserWorkItem(seen.Observe);
        Deadline.Wait(entered);
        task = pool.Factory.StartNew(() => Environment.CurrentManagedThreadId);
        queued.Set();
        Assert.Equal((true, 0L), seen.Result);
        pool.Dispose();
    }

    /// <summary>Two raw items wait for their common state. The one that runs the task must not take the other for it.</summary>
    [Fact]
    public void T38_RawItemWithTheTaskAsItsState_IsNotTakenForTheTask()
    {
        using NativeThreadPool pool = Pools.WithThreads(1);
        using var ended = new CountdownEvent(2);
        pool.OnWorker(() =>
        {
            Task task = pool.Factory.StartNew(static () => { });
            for (int i = 0; i < 2; i++)
            {
                pool.QueueUserWorkItem(
                    task =>
                    {
                        Endless.Wait(task);
                        ended.Signal();
                    },
                    task,
                    preferLocal: true);
            }
        });
        Assert.True(ended.Wait(Deadline.Time));
    }

    [Fact]
    public void T38_WaitOutside_DoesNotRunTheTaskOnTheWaiter()
    {
        NativeThreadPool pool = Pools.WithThreads(1);
        StartGate.Run(1, _ =>
        {
            for (int i = 0; i < 500; i++)
            {
                Assert.Same(pool, pool.Run(() => NativeThreadPool.Current).Result);
            }
        });
        pool.Dispose();
    }

    [Fact]
    public void T38_WaitOnAnotherPoolsWorker_DoesNotRunTheTaskThere()
    {
        NativeThreadPool first = Pools.WithThreads(1, "first");
        NativeThreadPool second = Pools.WithThreads(1, "second");
        for (int i = 0; i < 200; i++)
        {
            Assert.Same(second, first.OnWorker(() => second.Run(() => NativeThreadPool.Current).Result));
        }
        second.Dispose();
        first.Dispose();
    }

    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    public void T38_NestedWaits_DoNotDeadlock(int threads)
    {
        NativeThreadPool pool = Pools.WithThreads(threads);
        int Nested(int depth) => depth == 0 ? 0 : 1 + pool.Run(() => Nested(depth - 1)).Result;
        Assert.Equal(200, Deadline.Result(pool.Run(() => Nested(200))));
        pool.Dispose();
    }

    [Fact]
    public void T38_AllWorkersWaitForTasksInEachOthersQueues_NoDeadlock()
    {
        NativeThreadPool pool = Pools.WithThreads(2);
        for (int round = 0; round < 200; round++)
        {
            using var both = new Barrier(2);
            var tasks = new Task[2];
            Task[] items = [.. Enumerable.Range(0, 2).Select(index => pool.Run(() =>
            {
                // In this worker's own deque, out of the other's reach: it can only be run where it is waited for.
                tasks[index] = pool.Factory.StartNew(() => { });
                Assert.True(both.SignalAndWait(Deadline.Time));
                Endless.Wait(tasks[1 - index]);
            }))];
            Deadline.Wait(Task.WhenAll(items));
        }
        pool.Dispose();
    }

    [Fact]
    public void T38_SeveralContinuationsOfOneTask_AllRunOnThePool()
    {
        NativeThreadPool pool = Pools.WithThreads(2);
        var source = new TaskCompletionSource();
        Task<NativeThreadPool?>[] continuations = [.. Enumerable.Range(0, 50).Select(_ =>
            source.Task.ContinueWith(_ => NativeThreadPool.Current, pool.Scheduler))];
        source.SetResult();
        Assert.All(Deadline.Result(Task.WhenAll(continuations)), seen => Assert.Same(pool, seen));
        pool.Dispose();
    }

    /// <summary>Who waits holds its locks: a task that has a thread of its own must not run inside them.</summary>
    [Fact]
    public void T143_WaitForALongRunningTask_DoesNotRunItInsideTheWaitersLock()
    {
        NativeThreadPool pool = Pools.WithThreads(1);
        object owned = new();
        int inside = 0;
        Task waits = pool.Run(() =>
        {
            for (int i = 0; i < 100; i++)
            {
                lock (owned)
                {
                    Task<bool> task = pool.Factory.StartNew(() => Monitor.IsEntered(owned), TaskCreationOptions.LongRunning);
                    switch (i % 3)
                    {
                        case 0:
                            Endless.Wait(task);
                            break;
                        case 1:
                            task.GetAwaiter().GetResult();
                            break;
                        default:
                            Endless.WaitAll(task);
                            break;
                    }

                    inside += task.Result ? 1 : 0;
                }
            }
        });
        Deadline.Wait(waits);
        Assert.Equal(0, inside);
        pool.Dispose();
    }

    [Fact]
    public void RunSynchronously_RunsOnTheWorkerOrSendsTheCallersTaskToThePool()
    {
        NativeThreadPool pool = Pools.WithThreads(1);
        var outside = new Task<NativeThreadPool?>(() => NativeThreadPool.Current);
        outside.RunSynchronously(pool.Scheduler);
        Assert.Same(pool, Deadline.Result(outside));
        pool.OnWorker(() =>
        {
            var inside = new Task<int>(() => Environment.CurrentManagedThreadId);
            inside.RunSynchronously(pool.Scheduler);
            Assert.Equal(Environment.CurrentManagedThreadId, inside.Result);
            var own = new Task<int>(() => Environment.CurrentManagedThreadId, TaskCreationOptions.LongRunning);
            own.RunSynchronously(pool.Scheduler); // as with the runtime's scheduler: the caller says where
            Assert.Equal(Environment.CurrentManagedThreadId, own.Result);
        });
        pool.Dispose();
    }
}
