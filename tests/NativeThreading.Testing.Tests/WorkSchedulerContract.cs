using NativeThreading.Tests.Support;

namespace NativeThreading.Testing.Tests;

/// <summary>What a consumer of IWorkScheduler may rely on, whichever pool it was given.</summary>
public abstract class WorkSchedulerContract
{
    private readonly List<string> _log = [];

    [Fact]
    public void QueueingCalls_RunTheirItemsOnce_InOrder_WithTheirStates()
    {
        using SchedulerUnderTest under = Create();
        IWorkScheduler scheduler = under.Scheduler;
        using (under.HoldBack())
        {
            Assert.True(scheduler.QueueUserWorkItem(state => Note($"1 {state is null}")));
            Assert.True(scheduler.QueueUserWorkItem(state => Note($"2 {state}"), "two"));
            Assert.True(scheduler.QueueUserWorkItem(state => Note($"3 {state.Length}"), "three", preferLocal: false));
            Assert.True(scheduler.QueueUserWorkItem(state => Note($"4 {state}"), 4, preferLocal: false));
            Assert.True(scheduler.UnsafeQueueUserWorkItem(state => Note($"5 {state}"), "five"));
            Assert.True(scheduler.UnsafeQueueUserWorkItem(state => Note($"6 {state}"), 6, preferLocal: false));
            Assert.True(scheduler.UnsafeQueueUserWorkItem(new Executable(() => Note("7")), preferLocal: false));
            Assert.True(scheduler.TryQueueUserWorkItem(state => Note($"8 {state}"), "eight"));
            Assert.True(scheduler.TryQueueUserWorkItem(state => Note($"9 {state}"), 9, preferLocal: false));
            Assert.True(scheduler.QueueAsync(state => Note($"10 {state}"), "ten", TestContext.Current.CancellationToken).AsTask().IsCompletedSuccessfully);
            Assert.True(scheduler.QueueAsync(state => Note($"11 {state}"), 11, TestContext.Current.CancellationToken).AsTask().IsCompletedSuccessfully);
            scheduler.UnsafeQueueContinuation(state => Note($"12 {state}"), "twelve", preferLocal: false);
            scheduler.UnsafeQueueContinuation(state => Note($"13 {state}"), 13, preferLocal: false);
            Assert.Empty(_log);
        }

        under.Settle();
        Assert.Equal(["1 True", "2 two", "3 5", "4 4", "5 five", "6 6", "7", "8 eight", "9 9", "10 ten", "11 11", "12 twelve", "13 13"], _log);
        Assert.Equal("under-test", scheduler.Name);
    }

    [Fact]
    public void BadArguments_AreRefused()
    {
        using SchedulerUnderTest under = Create();
        IWorkScheduler scheduler = under.Scheduler;
        Action[] calls =
        [
            () => scheduler.QueueUserWorkItem(null!),
            () => scheduler.QueueUserWorkItem(null!, null),
            () => scheduler.QueueUserWorkItem<string>(null!, "", preferLocal: false),
            () => scheduler.UnsafeQueueUserWorkItem(null!, null),
            () => scheduler.UnsafeQueueUserWorkItem<string>(null!, "", preferLocal: false),
            () => scheduler.UnsafeQueueUserWorkItem(null!, preferLocal: false),
            () => scheduler.UnsafeQueueContinuation<string>(null!, "", preferLocal: false),
            () => scheduler.TryQueueUserWorkItem(null!, null),
            () => scheduler.TryQueueUserWorkItem<string>(null!, "", preferLocal: false),
            () => _ = scheduler.QueueAsync(null!, null, CancellationToken.None).AsTask(),
            () => _ = scheduler.QueueAsync<string>(null!, "", CancellationToken.None).AsTask(),
        ];
        Assert.All(calls, call => Assert.Throws<ArgumentNullException>("callBack", call));
        Action[] runs =
        [
            () => _ = scheduler.Run((Func<int>)null!, CancellationToken.None),
            () => _ = scheduler.Run((Func<Task>)null!, CancellationToken.None),
            () => _ = scheduler.Run((Func<Task<int>>)null!, CancellationToken.None),
            () => _ = scheduler.RunAsync((Func<int>)null!, CancellationToken.None),
            () => _ = scheduler.RunAsync((Func<Task>)null!, CancellationToken.None),
            () => _ = scheduler.RunAsync((Func<Task<int>>)null!, CancellationToken.None),
        ];
        Assert.All(runs, run => Assert.Throws<ArgumentNullException>("function", run));
        Action[] actions =
        [
            () => _ = scheduler.Run((Action)null!, CancellationToken.None),
            () => _ = scheduler.RunAsync((Action)null!, CancellationToken.None),
        ];
        Assert.All(actions, call => Assert.Throws<ArgumentNullException>("action", call));
        Assert.Throws<ArgumentOutOfRangeException>("callBack", () => scheduler.UnsafeQueueUserWorkItem(new TaskItem(), preferLocal: false));
    }

    [Fact]
    public void Context_FlowsToSafeCalls_AndNotToUnsafeOnes_AndLeavesNothingBehind()
    {
        using SchedulerUnderTest under = Create();
        var local = new AsyncLocal<string?>();
        void Look()
        {
            Note($"{local.Value ?? "-"} {SynchronizationContext.Current is null}");
            local.Value = "left behind";
            SynchronizationContext.SetSynchronizationContext(new SynchronizationContext());
        }

        using (under.HoldBack())
        {
            local.Value = "caller";
            under.Scheduler.QueueUserWorkItem(_ => Look());
            under.Scheduler.UnsafeQueueUserWorkItem(_ => Look(), null);
            under.Scheduler.Run(Look, CancellationToken.None);
            under.Scheduler.UnsafeQueueUserWorkItem(_ => Look(), 1, preferLocal: false);
            under.Scheduler.UnsafeQueueContinuation(_ => Look(), 1, preferLocal: false);
            local.Value = "later";
        }

        under.Settle();
        Assert.Equal(["caller True", "- True", "caller True", "- True", "- True"], _log);
        Assert.Equal("later", local.Value);
    }

    [Fact]
    public void Run_HasResultsAndFailuresAndItsAwaitsComeBack()
    {
        using SchedulerUnderTest under = Create();
        IWorkScheduler scheduler = under.Scheduler;
        foreach (bool isAsync in new[] { false, true })
        {
            Task<int> result = isAsync ? scheduler.RunAsync(() => 42, CancellationToken.None) : scheduler.Run(() => 42, CancellationToken.None);
            Task<bool> operation = isAsync ? scheduler.RunAsync(StepsAsync, CancellationToken.None) : scheduler.Run(StepsAsync, CancellationToken.None);
            Task failed = isAsync ? scheduler.RunAsync(FailAsync, CancellationToken.None) : scheduler.Run(FailAsync, CancellationToken.None);
            Task action = isAsync ? scheduler.RunAsync(() => Note("ran"), CancellationToken.None) : scheduler.Run(() => Note("ran"), CancellationToken.None);
            under.Settle();
            Assert.Equal(42, Deadline.Result(result));
            Assert.True(Deadline.Result(operation));
            Assert.IsType<FormatException>(failed.Exception!.InnerException);
            Assert.True(action.IsCompletedSuccessfully);
        }

        async Task<bool> StepsAsync()
        {
            bool before = under.IsCurrent && TaskScheduler.Current == TaskScheduler.Default;
            await Task.Yield();
            return before && under.IsCurrent && TaskScheduler.Current == TaskScheduler.Default;
        }

        static async Task FailAsync()
        {
            await Task.Yield();
            throw new FormatException();
        }
    }

    /// <summary>A pipe, like other sources of its kind, looks for a context and not for a scheduler.</summary>
    [Fact]
    public void Run_GivesItsOperationsAContextThatComesBack_AndOtherItemsNone()
    {
        using SchedulerUnderTest under = Create();
        var pipe = new System.IO.Pipelines.Pipe();
        Task<(bool, TaskScheduler)> operation = under.Scheduler.Run(ReadAsync, CancellationToken.None);
        under.Settle();
        pipe.Writer.Complete();
        under.Settle();
        Assert.Equal((true, TaskScheduler.Default), Deadline.Result(operation));

        SynchronizationContext? context = null;
        under.RunInside(() => Assert.Null(SynchronizationContext.Current));
        Task task = under.Scheduler.Run(NoteContext, CancellationToken.None);
        under.Settle();
        Deadline.Wait(task);
        (string? Flowed, bool IsCurrent, TaskScheduler Scheduler) seen = default;
        var local = new AsyncLocal<string?> { Value = "poster" };
        context!.Post(_ => seen = (local.Value, under.IsCurrent, TaskScheduler.Current), null);
        under.Settle();
        Assert.Equal(("poster", true, TaskScheduler.Default), seen);
        bool sent = false;
        under.RunInside(() => context.Send(_ => sent = under.IsCurrent, null));
        Assert.True(sent);
        Assert.Throws<ArgumentNullException>("d", () => context.Post(null!, null));
        Assert.Throws<ArgumentNullException>("d", () => context.Send(null!, null));

        async Task<(bool, TaskScheduler)> ReadAsync()
        {
            await pipe.Reader.ReadAsync(CancellationToken.None);
            return (under.IsCurrent, TaskScheduler.Current);
        }

        Task NoteContext()
        {
            context = SynchronizationContext.Current;
            return Task.CompletedTask;
        }
    }

    /// <summary>An operation goes on in the call that completes what it awaits, where that is an operation's too; else as an item.</summary>
    [Theory]
    [InlineData("operation", "goes on, has completed")]
    [InlineData("operation, asynchronously", "has completed, goes on")]
    [InlineData("task", "has completed, goes on")]
    [InlineData("item", "has completed, goes on")]
    public void AwaitsOfOperations_GoOnInPlaceWhereAnOperationCompletesThem(string by, string expected)
    {
        using SchedulerUnderTest under = Create();
        IWorkScheduler scheduler = under.Scheduler;
        bool isAsynchronous = by.EndsWith("asynchronously", StringComparison.Ordinal);
        var source = new TaskCompletionSource(isAsynchronous ? TaskCreationOptions.RunContinuationsAsynchronously : TaskCreationOptions.None);
        Task awaiting = scheduler.Run(AwaitAsync, CancellationToken.None);
        under.Settle();
        if (by == "item")
        {
            scheduler.QueueUserWorkItem(_ => CompleteAsync());
        }
        else if (by == "task")
        {
            scheduler.Run((Action)(() => CompleteAsync()), CancellationToken.None);
        }
        else
        {
            scheduler.Run(CompleteAsync, CancellationToken.None);
        }

        Deadline.Until(() =>
        {
            under.Settle();
            return awaiting.IsCompleted;
        });
        Assert.Equal(expected, string.Join(", ", _log));

        async Task AwaitAsync()
        {
            await source.Task;
            Assert.True(under.IsCurrent);
            Note("goes on");
        }

        Task CompleteAsync()
        {
            source.SetResult();
            Note("has completed");
            return Task.CompletedTask;
        }
    }

    [Theory]
    [InlineData(null, QueueFullMode.Reject)]
    [InlineData(100, QueueFullMode.Reject)]
    [InlineData(100, QueueFullMode.Wait)]
    [InlineData(100, QueueFullMode.RunOnCaller)]
    public void T142_Run_EndsAsTheFrameworksRun(int? limit, QueueFullMode mode)
    {
        using SchedulerUnderTest under = Create(limit, mode);
        IWorkScheduler scheduler = under.Scheduler;
        RunCases.AssertAsTaskRun(new RunCalls(scheduler.Run, scheduler.Run, scheduler.Run, scheduler.Run), under.Settle);
        RunCases.AssertAsTaskRun(new RunCalls(scheduler.RunAsync, scheduler.RunAsync, scheduler.RunAsync, scheduler.RunAsync), under.Settle);
    }

    /// <summary>The task waits for a permit, or runs on its caller.</summary>
    [Theory]
    [InlineData(QueueFullMode.Wait)]
    [InlineData(QueueFullMode.RunOnCaller)]
    public void T142_WhereTheQueueIsFull_RunAsyncEndsAsTheFrameworksRun(QueueFullMode mode)
    {
        using SchedulerUnderTest under = Create(limit: 1, mode);
        RunCases.AssertAsTaskRun(
            new RunCalls(
                (action, token) => WhileFull(under, () => under.Scheduler.RunAsync(action, token)),
                (function, token) => WhileFull(under, () => under.Scheduler.RunAsync(function, token)),
                (function, token) => WhileFull(under, () => under.Scheduler.RunAsync(function, token)),
                (function, token) => WhileFull(under, () => under.Scheduler.RunAsync(function, token))),
            under.Settle);

        static Task WhileFull(SchedulerUnderTest under, Func<Task> call)
        {
            using (under.HoldBack())
            {
                under.Scheduler.TryQueueUserWorkItem(_ => { }, null);
                return call();
            }
        }
    }

    [Fact]
    public void WaitingForATaskInside_RunsItInPlace()
    {
        using SchedulerUnderTest under = Create();
        under.RunInside(() =>
        {
            Task task = under.Scheduler.Run(() => Note("inner"), CancellationToken.None);
            Endless.Wait(task);
            Note("outer");
        });
        Assert.Equal(["inner", "outer"], _log);
    }

    [Fact]
    public void CancelledBeforeItBegins_DoesNotRun_AndItsPlaceIsFree()
    {
        using SchedulerUnderTest under = Create(limit: 1);
        using var source = new CancellationTokenSource();
        Task cancelled;
        using (under.HoldBack())
        {
            cancelled = under.Scheduler.RunAsync(() => Note("cancelled"), source.Token);
            Assert.False(under.Scheduler.TryQueueUserWorkItem(_ => { }, null));
            source.Cancel();
            Assert.True(cancelled.IsCanceled);
            Assert.True(under.Scheduler.TryQueueUserWorkItem(_ => Note("next"), null));
        }

        under.Settle();
        Assert.Equal(["next"], _log);
        Assert.True(under.Scheduler.RunAsync(() => { }, source.Token).IsCanceled);
        Assert.True(under.Scheduler.QueueAsync(_ => { }, null, source.Token).AsTask().IsCanceled);
    }

    [Fact]
    public void Reject_RefusesWhatIsOverTheLimit()
    {
        using SchedulerUnderTest under = Create(limit: 2);
        using (under.HoldBack())
        {
            under.Scheduler.QueueUserWorkItem(_ => Note("1"));
            under.Scheduler.Run(() => Note("2"), CancellationToken.None);
            var exception = Assert.Throws<QueueFullException>(() => under.Scheduler.QueueUserWorkItem(_ => Note("3")));
            Assert.Equal(("under-test", 2), (exception.PoolName, exception.QueueLimit));
            Action run = () => under.Scheduler.Run(() => Note("4"), CancellationToken.None);
            Assert.Throws<QueueFullException>(run);
            Assert.IsType<QueueFullException>(under.Scheduler.RunAsync(() => Note("5"), CancellationToken.None).Exception!.InnerException);
            Assert.IsType<QueueFullException>(under.Scheduler.QueueAsync(_ => Note("6"), null, CancellationToken.None).AsTask().Exception!.InnerException);
            Assert.False(under.Scheduler.TryQueueUserWorkItem(_ => Note("7"), null));
        }

        under.Settle();
        Assert.Equal(["1", "2"], _log);
    }

    [Fact]
    public void Wait_ServesAsynchronousCallersInOrder()
    {
        using SchedulerUnderTest under = Create(limit: 1, QueueFullMode.Wait);
        using var source = new CancellationTokenSource();
        Task[] tasks;
        using (under.HoldBack())
        {
            under.Scheduler.QueueUserWorkItem(_ => Note("0"));
            tasks =
            [
                under.Scheduler.QueueAsync(_ => Note("1"), null, CancellationToken.None).AsTask(),
                under.Scheduler.RunAsync(() => Note("cancelled"), source.Token),
                under.Scheduler.RunAsync(() => Note("2"), CancellationToken.None),
                under.Scheduler.QueueAsync(_ => Note("cancelled"), null, source.Token).AsTask(),
                under.Scheduler.QueueAsync(_ => Note("3"), null, CancellationToken.None).AsTask(),
            ];
            Assert.All(tasks, task => Assert.False(task.IsCompleted));
            source.Cancel();
            Assert.Equal([false, true, false, true, false], tasks.Select(task => task.IsCanceled));
            Assert.False(under.Scheduler.TryQueueUserWorkItem(_ => Note("overtaking"), null));
        }

        Deadline.Until(() =>
        {
            under.Settle();
            return _log.Count == 4;
        });
        Deadline.Wait(Task.WhenAll(tasks[0], tasks[2], tasks[4]));
        Assert.Equal(["0", "1", "2", "3"], _log);
    }

    [Fact]
    public void RunOnCaller_RunsWhatIsOverTheLimitAtOnce()
    {
        using SchedulerUnderTest under = Create(limit: 1, QueueFullMode.RunOnCaller);
        Task<bool> operation;
        using (under.HoldBack())
        {
            under.Scheduler.QueueUserWorkItem(_ => Note("queued"));
            under.Scheduler.QueueUserWorkItem(_ => Note("1"));
            under.Scheduler.Run(() => Note("2"), CancellationToken.None);
            Assert.Throws<FormatException>(() => under.Scheduler.QueueUserWorkItem(_ => throw new FormatException()));
            operation = under.Scheduler.RunAsync(
                async () =>
                {
                    Note("3");
                    await Task.Yield();
                    return under.IsCurrent;
                },
                CancellationToken.None);
            Assert.Equal(["1", "2", "3"], _log);
            Assert.False(operation.IsCompleted);
        }

        under.Settle();
        Assert.Equal(["1", "2", "3", "queued"], _log);
        Assert.True(Deadline.Result(operation));
    }

    [Fact]
    public void Continuations_NeedNoPlace()
    {
        using SchedulerUnderTest under = Create(limit: 1);
        var gate = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        Task operation = under.Scheduler.RunAsync(async () => await gate.Task, CancellationToken.None);
        under.Settle();
        using (under.HoldBack())
        {
            under.Scheduler.QueueUserWorkItem(_ => { });
            gate.SetResult();
            Assert.False(under.Scheduler.TryQueueUserWorkItem(_ => { }, null));
            under.Scheduler.UnsafeQueueContinuation(_ => Note("goes on"), 0, preferLocal: false);
        }

        under.Settle();
        Deadline.Wait(operation);
        Assert.Equal(["goes on"], _log);
    }

    private protected abstract SchedulerUnderTest Create(int? limit = null, QueueFullMode mode = QueueFullMode.Reject);

    private void Note(string text) => _log.Add(text);

    private sealed class Executable(Action action) : IThreadPoolWorkItem
    {
        public void Execute() => action();
    }

    private sealed class TaskItem() : Task(() => { }), IThreadPoolWorkItem
    {
        public void Execute()
        {
        }
    }
}

public sealed class ManualWorkScheduler : WorkSchedulerContract
{
    private protected override SchedulerUnderTest Create(int? limit = null, QueueFullMode mode = QueueFullMode.Reject) =>
        new ManualSchedulerUnderTest(limit, mode);
}

public sealed class NativeWorkScheduler : WorkSchedulerContract
{
    private protected override SchedulerUnderTest Create(int? limit = null, QueueFullMode mode = QueueFullMode.Reject) =>
        new NativeSchedulerUnderTest(limit, mode);
}
