using NativeThreading.Tests.Support;

namespace NativeThreading.Tests.Tasks;

/// <summary>pool.WhenAll: ends as Task.WhenAll does, and needs nothing of the built-in pool.</summary>
public sealed class WhenAllTests : IDisposable
{
    private static readonly CancellationToken s_cancelled = new(canceled: true);

    /// <summary>How a task may end.</summary>
    private static readonly (string Name, Action<TaskCompletionSource<int>> End)[] s_ends =
    [
        ("result", static task => task.SetResult(7)),
        ("failure", static task => task.SetException(new FormatException("failure"))),
        ("two failures", static task => task.SetException([new FormatException("first"), new InvalidTimeZoneException("second")])),
        ("failure by cancellation", static task => task.SetException(new OperationCanceledException("failure"))),
        ("cancellation", static task => task.SetCanceled()),
        ("cancellation by a token", static task => task.SetCanceled(s_cancelled)),
        ("cancellation by an exception", static task => task.SetFromTask(CancelledAsync())),
    ];

    private readonly NativeThreadPool _pool = Pools.WithThreads(2);

    public static MatrixTheoryData<bool, string> Orders => new([false, true], ["before", "in order", "in reverse"]);

    public void Dispose() => _pool.Dispose();

    /// <summary>
    /// All combinations of three ends. Failures come in the order of the tasks, as from the framework's form with results; its plain
    /// form has them in the order in which the tasks failed.
    /// </summary>
    [Theory, MemberData(nameof(Orders))]
    public void EndsAsTheFrameworks(bool withResults, string order)
    {
        int kinds = s_ends.Length;
        for (int i = 0; i < kinds * kinds * kinds; i++)
        {
            var ends = new[] { s_ends[i % kinds], s_ends[i / kinds % kinds], s_ends[i / kinds / kinds] };
            string expected = Outcome(ends, order, static tasks => Task.WhenAll(tasks));
            string actual = Outcome(ends, order, tasks => withResults ? _pool.WhenAll(tasks) : _pool.WhenAll((Task[])tasks));
            string names = string.Join(", ", ends.Select(static end => end.Name));
            Assert.Equal($"{names}: {expected}", $"{names}: {actual}");
        }
    }

    [Fact]
    public void EveryForm_CompletesWithTheResultsInOrder()
    {
        Task<int>[] tasks = [_pool.Run(static () => 1), Task.Run(static () => 2), Task.FromResult(3)];
        Assert.Equal([1, 2, 3], Deadline.Result(_pool.WhenAll(tasks)));
        Assert.Equal([1, 2, 3], Deadline.Result(_pool.WhenAll(tasks.AsSpan())));
        Assert.Equal([1, 2, 3], Deadline.Result(_pool.WhenAll(tasks.Where(static _ => true))));
        Assert.Equal([1, 2, 3], Deadline.Result(_pool.WhenAll(tasks[0], tasks[1], tasks[2])));
        Deadline.Wait(_pool.WhenAll((Task[])tasks));
        Deadline.Wait(_pool.WhenAll(new ReadOnlySpan<Task>(tasks)));
        Deadline.Wait(_pool.WhenAll(tasks.Cast<Task>()));
        Deadline.Wait(_pool.WhenAll(tasks[0], Task.CompletedTask));
    }

    [Fact]
    public void OfNothing_IsComplete()
    {
        Assert.True(_pool.WhenAll(Array.Empty<Task>()).IsCompletedSuccessfully);
        Assert.True(_pool.WhenAll(Enumerable.Empty<Task>()).IsCompletedSuccessfully);
        Assert.Empty(Deadline.Result(_pool.WhenAll(Array.Empty<Task<int>>())));
        Assert.Empty(Deadline.Result(_pool.WhenAll(Enumerable.Empty<Task<int>>())));
    }

    [Fact]
    public void Nulls_AreRefusedAsTheFrameworkRefusesThem()
    {
        (Action Ours, Action Theirs)[] calls =
        [
            (() => _pool.WhenAll((Task[])null!), static () => Task.WhenAll((Task[])null!)),
            (() => _pool.WhenAll((IEnumerable<Task>)null!), static () => Task.WhenAll((IEnumerable<Task>)null!)),
            (() => _pool.WhenAll((Task<int>[])null!), static () => Task.WhenAll((Task<int>[])null!)),
            (() => _pool.WhenAll((IEnumerable<Task<int>>)null!), static () => Task.WhenAll((IEnumerable<Task<int>>)null!)),
            (() => _pool.WhenAll([Task.CompletedTask, null!]), static () => Task.WhenAll([Task.CompletedTask, null!])),
            (() => _pool.WhenAll(new Task[1].AsEnumerable()), static () => Task.WhenAll(new Task[1].AsEnumerable())),
            (() => _pool.WhenAll(new Task<int>[1]), static () => Task.WhenAll(new Task<int>[1])),
            (() => _pool.WhenAll(new Task<int>[1].AsEnumerable()), static () => Task.WhenAll(new Task<int>[1].AsEnumerable())),
        ];
        foreach ((Action ours, Action theirs) in calls)
        {
            var expected = Assert.ThrowsAny<ArgumentException>(theirs);
            var actual = Assert.ThrowsAny<ArgumentException>(ours);
            Assert.Equal((expected.GetType(), expected.ParamName), (actual.GetType(), actual.ParamName));
        }

        Assert.Throws<ArgumentNullException>("pool", () => { _ = ((NativeThreadPool)null!).WhenAll(Task.CompletedTask); });
    }

    [Fact]
    public void TheCallersArray_MayChange()
    {
        var first = new TaskCompletionSource<int>();
        var second = new TaskCompletionSource<int>();
        Task<int>[] tasks = [first.Task, second.Task];
        Task<int[]> all = _pool.WhenAll(tasks);
        tasks.AsSpan().Clear();
        first.SetResult(1);
        second.SetResult(2);
        Assert.Equal([1, 2], Deadline.Result(all));
    }

    [Fact]
    public void CompletesInTheCallThatCompletesTheLastTask()
    {
        TaskCompletionSource[] sources = [new(), new()];
        Task all = _pool.WhenAll(sources.Select(static source => source.Task));
        sources[1].SetResult();
        Assert.False(all.IsCompleted);
        sources[0].SetResult();
        Assert.True(all.IsCompletedSuccessfully);
    }

    /// <summary>Code that completes such a task does not expect foreign code to run in its call.</summary>
    [Fact]
    public void CompletesOnThePool_WhereATasksContinuationsRunAsynchronously()
    {
        var source = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        Task<string?> continued = _pool.WhenAll(source.Task, Task.CompletedTask).ContinueWith(
            static _ => Thread.CurrentThread.Name, CancellationToken.None, TaskContinuationOptions.ExecuteSynchronously, TaskScheduler.Default);
        source.SetResult();
        Assert.StartsWith("test-worker-", Deadline.Result(continued), StringComparison.Ordinal);
        Assert.True(_pool.WhenAll(source.Task, Task.CompletedTask).IsCompletedSuccessfully);
    }

    /// <summary>Operations that complete one another all the way up: if an operation completes the last task, the code that awaits all of them resumes in its call.</summary>
    [Fact]
    public async Task OperationThatAwaitsAll_ResumesInTheLastOnesCall()
    {
        using NativeThreadPool pool = Pools.WithThreads(1);
        var sources = new TaskCompletionSource[] { new(), new() };
        var log = new List<string>();
        Task awaiting = pool.Run(async () =>
        {
            await pool.WhenAll(sources.Select(static source => source.Task));
            log.Add("resumed");
        });
        pool.WaitUntilQuiet();
        await Deadline.For(pool.Run(() =>
        {
            sources[0].SetResult();
            log.Add("first");
            sources[1].SetResult();
            log.Add("last");
            return Task.CompletedTask;
        }));
        await Deadline.For(awaiting);
        Assert.Equal(["first", "resumed", "last"], log);
    }

    [Fact, Trait("Category", "Race")]
    public void TasksThatCompleteWhileTheyAreCounted_AreCountedOnce()
    {
        const int Count = 50;
        for (Budget budget = Budget.Of(250); budget.HasTime;)
        {
            TaskCompletionSource<int>[] sources = [.. Enumerable.Range(0, Count).Select(static _ => new TaskCompletionSource<int>())];
            Task<int[]> all = null!;
            Race.Run(
                () => all = _pool.WhenAll(sources.Select(static source => source.Task)),
                () => CompleteFrom(0),
                () => CompleteFrom(1));
            Assert.Equal(Enumerable.Range(0, Count), Deadline.Result(all));

            void CompleteFrom(int first)
            {
                for (int i = first; i < Count; i += 2)
                {
                    sources[i].SetResult(i);
                }
            }
        }
    }

    /// <summary>The framework's continuation for each task, and a place in the array.</summary>
    [Fact]
    public void PendingTask_CostsItsContinuation()
    {
        const int Many = 1_000;
        Bytes(Many);
        Assert.InRange(Bytes(2 * Many) - Bytes(Many), 0, Many * (48 + 8));

        long Bytes(int count)
        {
            Task[] tasks = [.. Enumerable.Range(0, count).Select(static _ => new TaskCompletionSource().Task)];
            long before = GC.GetAllocatedBytesForCurrentThread();
            _ = _pool.WhenAll(tasks);
            return GC.GetAllocatedBytesForCurrentThread() - before;
        }
    }

    private static string Outcome((string Name, Action<TaskCompletionSource<int>> End)[] ends, string order, Func<Task<int>[], Task> whenAll)
    {
        TaskCompletionSource<int>[] sources = [.. ends.Select(static _ => new TaskCompletionSource<int>())];
        IEnumerable<int> indices = Enumerable.Range(0, sources.Length);
        Task? all = null;
        if (order != "before")
        {
            all = whenAll(Tasks());
        }

        foreach (int i in order == "in reverse" ? indices.Reverse() : indices)
        {
            Assert.NotEqual(true, all?.IsCompleted);
            ends[i].End(sources[i]);
        }

        all ??= whenAll(Tasks());
        Assert.True(all.IsCompleted);
        Exception? thrown = Record.Exception(() => all.GetAwaiter().GetResult());
        if (all is Task<int[]> { IsCompletedSuccessfully: true } withResults)
        {
            Assert.Equal(sources.Select(static source => source.Task.Result), withResults.Result);
        }

        return $"{all.Status} {thrown?.GetType().Name} {(thrown as OperationCanceledException)?.CancellationToken == s_cancelled} "
            + string.Join(", ", all.Exception?.InnerExceptions.Select(static inner => $"{inner.GetType().Name} {inner.Message}") ?? []);

        Task<int>[] Tasks() => [.. sources.Select(static source => source.Task)];
    }

    private static async Task<int> CancelledAsync()
    {
        await Task.CompletedTask;
        throw new OperationCanceledException("by an exception", s_cancelled);
    }
}
