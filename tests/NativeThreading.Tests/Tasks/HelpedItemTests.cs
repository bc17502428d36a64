using NativeThreading.Tests.Support;

namespace NativeThreading.Tests.Tasks;

/// <summary>An item that a waiter runs finds what it would find from the queue, whatever waits (T135).</summary>
public sealed class HelpedItemTests : IDisposable
{
    private readonly NativeThreadPool _pool = Pools.WithThreads(1);

    public void Dispose() => _pool.Dispose();

    /// <summary>The waiting side.</summary>
    public static TheoryData<string> Waiters => ["item", "task", "task with children", "operation", "foreign scheduler", "inlined"];

    [Theory, MemberData(nameof(Waiters))]
    public void T135_HelpedItem_FindsWhatAnItemFromTheQueueFinds(string waiter)
    {
        var seen = new List<Surroundings>();
        bool here = true;
        Run(waiter, () =>
        {
            int thread = Environment.CurrentManagedThreadId;
            var outer = new WorkGroup(_pool);
            outer.QueueRange(
                nested =>
                {
                    here &= Environment.CurrentManagedThreadId == thread;
                    seen.Add(Surroundings.Here());
                    var inner = new WorkGroup(_pool);
                    inner.QueueRange(_ => seen.Add(Surroundings.Here()), [1, 2]);
                    inner.Wait();
                    seen.Add(Surroundings.Here());
                },
                [1, 2]);
            outer.Wait();
        });
        Assert.True(here);
        Assert.Equal(Enumerable.Repeat(Surroundings.OfAnItem, 8), seen);
    }

    [Theory, MemberData(nameof(Waiters))]
    public void T135_WaiterFindsItsOwnSurroundingsAgain(string waiter)
    {
        var local = new AsyncLocal<string?>();
        Run(waiter, () =>
        {
            local.Value = "waiter";
            Surroundings before = Surroundings.Here(local);
            var group = new WorkGroup(_pool);
            for (int i = 0; i < 3; i++)
            {
                group.Queue(
                    _ =>
                    {
                        local.Value = "item";
                        SynchronizationContext.SetSynchronizationContext(new SynchronizationContext());
                        ExecutionContext.SuppressFlow();
                    },
                    0);
                group.Wait();
                Assert.Equal(before, Surroundings.Here(local));
            }
        });
    }

    [Theory, MemberData(nameof(Waiters))]
    public void T135_ChildOfAHelpedItem_DoesNotHoldUpTheWaitersTask(string waiter)
    {
        using var release = new ManualResetEventSlim();
        Task child = null!;
        Run(waiter, () =>
        {
            var group = new WorkGroup(_pool);
            group.Queue(
                _ => child = Task.Factory.StartNew(
                    () => release.Wait(Deadline.Time),
                    CancellationToken.None,
                    TaskCreationOptions.AttachedToParent | TaskCreationOptions.LongRunning,
                    TaskScheduler.Default),
                0);
            group.Wait();
        });
        Assert.False(child.IsCompleted);
        release.Set();
        Deadline.Wait(child);
    }

    [Theory, MemberData(nameof(Waiters))]
    public void T135_AwaitInAHelpedItem_ResumesWhereOneFromTheQueueDoes(string waiter)
    {
        Task<bool> resumed = null!;
        Run(waiter, () =>
        {
            static async Task<bool> Await()
            {
                await Task.Yield();
                return Thread.CurrentThread.IsThreadPoolThread;
            }

            var group = new WorkGroup(_pool);
            group.Queue(_ => resumed = Await(), 0);
            group.Wait();
        });
        Assert.True(Deadline.Result(resumed));
    }

    [Fact]
    public void T135_AwaitOfTheWaiterAfterItHasHelped_ResumesOnThePool()
    {
        Task<bool> waiter = _pool.Run(async () =>
        {
            var group = new WorkGroup(_pool);
            group.QueueRange(static _ => { }, new int[10]);
            group.Wait();
            await Task.Yield();
            return NativeThreadPool.Current == _pool && _pool.SwitchTo().GetAwaiter().IsCompleted;
        });
        Assert.True(Deadline.Result(waiter));
    }

    [Theory, MemberData(nameof(Waiters))]
    public void T135_FailureOfAHelpedItem_IsTheWaiters(string waiter)
    {
        Run(waiter, () =>
        {
            var group = new WorkGroup(_pool, WorkGroupErrors.All);
            group.QueueRange(static i => throw new FormatException($"{i}"), [1, 2, 3]);
            Assert.Equal(3, Assert.Throws<AggregateException>(group.Wait).InnerExceptions.Count);
        });
    }

    private void Run(string waiter, Action body) => Deadline.Wait(
        waiter switch
        {
            "item" => Task.Run(() => _pool.OnWorker(body)),
            "task" => _pool.Run(body),
            "task with children" => _pool.Factory.StartNew(body, TaskCreationOptions.None),
            "operation" => _pool.Run(async () =>
            {
                await Task.Yield();
                body();
            }),
            "foreign scheduler" => Task.Run(() => _pool.OnWorker(() => new Task(body).RunSynchronously(new InPlace()))),
            "inlined" => Task.Run(() => _pool.OnWorker(() => Endless.Wait(_pool.Factory.StartNew(body)))),
            _ => throw new ArgumentOutOfRangeException(nameof(waiter)),
        });

    private sealed class InPlace : TaskScheduler
    {
        protected override void QueueTask(Task task) => TryExecuteTask(task);

        protected override bool TryExecuteTaskInline(Task task, bool taskWasPreviouslyQueued) => TryExecuteTask(task);

        protected override IEnumerable<Task> GetScheduledTasks() => [];
    }
}
