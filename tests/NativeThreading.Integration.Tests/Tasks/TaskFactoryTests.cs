namespace NativeThreading.Integration.Tasks;

/// <summary>The pool's TaskFactory: FromAsync, children, waiting, what is thrown.</summary>
public sealed class TaskFactoryTests : PoolTest
{
    /// <summary>The old pattern's wait handle is watched by a foreign thread; the end method runs on the pool.</summary>
    [Fact]
    public async Task FromAsync_EndsOnThePool()
    {
        using var ready = new ManualResetEvent(false);
        Task<int>[] tasks = [.. Enumerable.Range(0, 100).Select(i => Pool.Factory.FromAsync(
            new Pending(ready, i),
            result =>
            {
                Trace.NoteThread();
                return ((Pending)result).Number;
            },
            TaskCreationOptions.None,
            Pool.Scheduler))];
        Assert.All(tasks, task => Assert.False(task.IsCompleted));
        ready.Set();
        Assert.Equal(Enumerable.Range(0, 100), await Deadline.For(Task.WhenAll(tasks)));
        Trace.AssertOnThePool(100);
    }

    [Fact]
    public async Task FromAsync_CarriesExceptionsOut()
    {
        using var ready = new ManualResetEvent(true);
        Task task = Pool.Factory.FromAsync(
            new Pending(ready, 0), _ => throw new InvalidTimeZoneException("end"), TaskCreationOptions.None, Pool.Scheduler);
        Assert.Equal("end", (await Assert.ThrowsAsync<InvalidTimeZoneException>(() => Deadline.For(task))).Message);
    }

    /// <summary>A parent without DenyChildAttach completes with its children, and carries what they throw.</summary>
    [Fact]
    public async Task AttachedChildren_HoldTheirParentOpen()
    {
        var ledger = new Ledger(Operations);
        Task parent = Task.Factory.StartNew(
            () =>
            {
                for (int i = 0; i < Operations; i++)
                {
                    int child = i;
                    _ = Task.Factory.StartNew(
                        () =>
                        {
                            Trace.Note();
                            ledger.Enter(child);
                            if (child % 100 == 0)
                            {
                                throw new InvalidTimeZoneException($"{child}");
                            }
                        },
                        CancellationToken.None,
                        TaskCreationOptions.AttachedToParent,
                        TaskScheduler.Current);
                }
            },
            CancellationToken.None,
            TaskCreationOptions.None,
            Pool.Scheduler);
        await Assert.ThrowsAsync<AggregateException>(() => Deadline.For(parent));
        Assert.Equal(Operations / 100, parent.Exception!.Flatten().InnerExceptions.Count);
        ledger.AssertEachOnce();
        Trace.AssertOnThePool(Operations);
    }

    [Fact]
    public async Task HideScheduler_TakesChildrenToTheRuntimesPool()
    {
        TaskScheduler seen = await Deadline.For(Task.Factory.StartNew(
            () => TaskScheduler.Current, CancellationToken.None, TaskCreationOptions.HideScheduler, Pool.Scheduler));
        Assert.Same(TaskScheduler.Default, seen);
    }

    /// <summary>Each node waits for its children: without inlining a pool of four could not end a tree of that depth.</summary>
    [Fact]
    public async Task T38_TreeOfTasksThatWait_Ends()
    {
        Assert.Equal(1 << 10, await Deadline.For(Pool.Run(() => Leaves(10))));

        int Leaves(int depth)
        {
            Trace.Note();
            if (depth == 0)
            {
                return 1;
            }

            Task<int> left = Pool.Factory.StartNew(() => Leaves(depth - 1));
            Task<int> right = Pool.Factory.StartNew(() => Leaves(depth - 1));
            Endless.WaitAll(left, right);
            return left.Result + right.Result;
        }
    }

    [Fact]
    public async Task WaitAllAndWaitAny_OnAWorker_ThrowWhatTheTasksThrew()
    {
        await Deadline.For(Pool.Run(() =>
        {
            Task[] tasks = [.. Enumerable.Range(0, 100).Select(i => Pool.Factory.StartNew(() =>
            {
                if (i % 10 == 0)
                {
                    throw new InvalidTimeZoneException($"{i}");
                }
            }))];
            AggregateException thrown = Assert.Throws<AggregateException>(() => Endless.WaitAll(tasks));
            Assert.Equal(10, thrown.InnerExceptions.Count);
            Assert.InRange(Endless.WaitAny(tasks), 0, 99);
        }));
    }

    private sealed class Pending(ManualResetEvent ready, int number) : IAsyncResult
    {
        public int Number => number;

        public object? AsyncState => null;

        public WaitHandle AsyncWaitHandle => ready;

        public bool CompletedSynchronously => false;

        public bool IsCompleted => ready.WaitOne(0);
    }
}
