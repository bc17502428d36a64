using NativeThreading.Platform;
using NativeThreading.Tests.Support;
using NativeThreading.Tests.Tasks;

namespace NativeThreading.Tests.Limits;

/// <summary>An item that runs on its caller finds what it would find on the pool, and its caller finds its own again (T135).</summary>
public sealed class CallerSurroundingsTests
{
    private readonly AsyncLocal<string?> _local = new();

    [Theory, CombinatorialBooleans]
    public void T135_RawItemOnACallerThatIsATask_RunsInNone(bool onWorker)
    {
        using NativeThreadPool pool = Limited.Pool(1, QueueFullMode.RunOnCaller, handler: static exception => exception is TimeoutException);
        var seen = new List<Surroundings>();
        var ranOn = new List<Thread>();
        Task? child = null;
        using var release = new ManualResetEventSlim();
        void Caller()
        {
            pool.Fill();
            int? task = Task.CurrentId;
            TaskScheduler scheduler = TaskScheduler.Current;
            pool.QueueUserWorkItem(_ =>
            {
                ranOn.Add(Thread.CurrentThread);
                seen.Add(Surroundings.Here());
                child = Task.Factory.StartNew(
                    () => release.Wait(Deadline.Time),
                    CancellationToken.None,
                    TaskCreationOptions.AttachedToParent | TaskCreationOptions.LongRunning,
                    TaskScheduler.Default);
            });
            Assert.Equal([Thread.CurrentThread], ranOn);
            Assert.Throws<FormatException>(() => pool.QueueUserWorkItem(_ => throw new FormatException()));
            Assert.True(pool.QueueUserWorkItem(_ => throw new TimeoutException()));
            Assert.Equal((task, scheduler), (Task.CurrentId, TaskScheduler.Current));
        }

        if (onWorker)
        {
            Deadline.Wait(pool.Factory.StartNew(Caller));
        }
        else
        {
            using (new BlockedWorkers(pool, 1))
            {
                Deadline.Wait(Task.Factory.StartNew(Caller, CancellationToken.None, TaskCreationOptions.None, TaskScheduler.Default));
            }
        }

        Assert.Equal([Surroundings.OfAnItem], seen);
        Assert.False(child!.IsCompleted);
        release.Set();
        Deadline.Wait(child);
    }

    [Theory, CombinatorialBooleans]
    public void T135_OperationOnACallerThatIsATask_FindsNothingOfIt(bool onWorker)
    {
        using NativeThreadPool pool = Limited.Pool(1, QueueFullMode.RunOnCaller);
        Surroundings? seen = null;
        void Caller()
        {
            pool.Fill();
            int? task = Task.CurrentId;
            Task operation = pool.Run(() =>
            {
                seen = Surroundings.Here();
                return Task.CompletedTask;
            });
            Assert.True(operation.IsCompletedSuccessfully);
            Assert.Equal(task, Task.CurrentId);
            Assert.Null(SynchronizationContext.Current);
        }

        if (onWorker)
        {
            Deadline.Wait(pool.Factory.StartNew(Caller));
        }
        else
        {
            using (new BlockedWorkers(pool, 1))
            {
                Deadline.Wait(Task.Factory.StartNew(Caller, CancellationToken.None, TaskCreationOptions.None, TaskScheduler.Default));
            }
        }

        Assert.NotNull(seen?.SynchronizationContext);
        Assert.Equal(Surroundings.OfAnItem, seen with { SynchronizationContext = null });
    }

    [Theory, CombinatorialBooleans]
    public void T135_SuppressedFlow_IsKeptAndTheItemsRunWithout(bool inTask)
    {
        using NativeThreadPool pool = Limited.Pool(1, QueueFullMode.RunOnCaller);
        var seen = new List<(string?, bool)>();
        void Item()
        {
            seen.Add((_local.Value, ExecutionContext.IsFlowSuppressed()));
            _local.Value = "item";
        }

        void Caller()
        {
            _local.Value = "caller";
            using (ExecutionContext.SuppressFlow())
            {
                pool.QueueUserWorkItem(_ => Item());
                pool.UnsafeQueueUserWorkItem(_ => Item(), null);
                Assert.True(pool.Run(Item).IsCompletedSuccessfully);
                Assert.True(pool.QueueAsync(_ => Item(), null).AsTask().IsCompletedSuccessfully);
                var group = new WorkGroup(pool);
                group.Queue(_ => Item(), 0);
                Assert.True(group.Wait(Deadline.Time));
                Assert.Equal(("caller", true), (_local.Value, ExecutionContext.IsFlowSuppressed()));
            }

            Assert.Equal(("caller", false), (_local.Value, ExecutionContext.IsFlowSuppressed()));
        }

        using (new BlockedWorkers(pool, 1))
        {
            pool.Fill();
            if (inTask)
            {
                Deadline.Wait(Task.Run(Caller));
            }
            else
            {
                StartGate.Run(1, _ => Caller());
            }
        }

        Assert.Equal(Enumerable.Repeat(((string?)null, false), 5), seen);
    }

    [Fact]
    public void T135_UnflowedItem_SeesNothingOfItsCallerBeforeTheFirstWorkerHasRun()
    {
        using NativeThreadPool pool = Limited.Pool(1, QueueFullMode.RunOnCaller);
        ExecutionContext known = pool.OnWorker(static () => ExecutionContext.Capture()!);
        string? seen = "not run";
        using (new BlockedWorkers(pool, 1))
        {
            pool.Fill();
            DefaultContext.Publish(null!); // as if no worker of the process had run yet
            try
            {
                _local.Value = "caller";
                pool.UnsafeQueueUserWorkItem(_ => seen = _local.Value, null);
            }
            finally
            {
                DefaultContext.Publish(known);
            }
        }

        Assert.Null(seen);
    }

    [Theory]
    [InlineData(256 * 1024)]
    [InlineData(0)]
    public void T135_ItemsInTasksInItems_AreRefusedWhenTheStackEndsAndNoneRunsElsewhere(int stackSize)
    {
        using NativeThreadPool pool = new(new NativeThreadPoolOptions
        {
            MaxThreads = 1,
            MaxBlockedThreads = 0,
            MaxStackSize = stackSize,
            QueueLimit = 1,
            QueueFullMode = QueueFullMode.RunOnCaller,
        });
        int started = 0, refused = 0, elsewhere = 0;
        pool.OnWorker(() =>
        {
            pool.Fill();
            Thread thread = Thread.CurrentThread;
            void Item()
            {
                started++;
                elsewhere += Thread.CurrentThread == thread && Task.CurrentId is null ? 0 : 1;
                try
                {
                    Task task = pool.Run(() => pool.UnsafeQueueUserWorkItem(_ => Item(), null));
                    task.GetAwaiter().GetResult();
                }
                catch (QueueFullException)
                {
                    refused++;
                }
            }

            Item();
        });
        Assert.Equal((1, 0), (refused, elsewhere));
        Assert.True(started > 10, $"only {started} deep");
        pool.AssertEmpty();
    }
}
