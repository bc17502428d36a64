using NativeThreading.Tests.Support;

namespace NativeThreading.Testing.Tests.Contract;

/// <summary>What a consumer of IWorkScheduler may rely on as it runs functions: their outcome, and where their awaits continue.</summary>
/// <typeparam name="TScheduler">The implementation.</typeparam>
public abstract class OperationContract<TScheduler> : SchedulerContract<TScheduler>
    where TScheduler : SchedulerUnderTest, ICreatable<TScheduler>
{
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

    /// <summary>Code that knows the interface alone can move to the scheduler, as code that knows a pool can.</summary>
    [Fact]
    public void SwitchTo_ContinuesThereAndStays_AndCompletesAtOnceWhereTheCallerRunsThere()
    {
        using SchedulerUnderTest under = Create(limit: 1);
        IWorkScheduler scheduler = under.Scheduler;
        var local = new AsyncLocal<string> { Value = "caller" };
        Task<string> method;
        using (under.HoldBack())
        {
            scheduler.QueueUserWorkItem(_ => Note("item")); // the queue is full: a continuation needs no permit
            method = Method();
            Assert.False(method.IsCompleted);
        }

        under.Settle();
        Assert.Equal("caller", Deadline.Result(method));
        Assert.Equal(["item", "there"], Log);

        string? flowed = null;
        scheduler.SwitchTo().GetAwaiter().OnCompleted(() => flowed = $"{local.Value} {under.IsCurrent}");
        under.Settle();
        Deadline.Until(() => flowed is not null);
        Assert.Equal("caller True", flowed);
        Assert.Throws<ArgumentNullException>("context", () => new SwitchToAwaitable(null!));

        async Task<string> Method()
        {
            await scheduler.SwitchTo();
            Assert.True(under.IsCurrent);
            Note("there");
            Assert.True(scheduler.SwitchTo().GetAwaiter().IsCompleted);
            await Task.Yield();
            Assert.True(under.IsCurrent);
            Assert.Same(TaskScheduler.Default, TaskScheduler.Current);
            return local.Value!;
        }
    }

    /// <summary>An operation continues in the call that completes its await, if another operation makes that call; else it continues as an item.</summary>
    [Theory]
    [InlineData("operation", "continues, has completed")]
    [InlineData("operation, asynchronously", "has completed, continues")]
    [InlineData("task", "has completed, continues")]
    [InlineData("item", "has completed, continues")]
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
        Assert.Equal(expected, string.Join(", ", Log));

        async Task AwaitAsync()
        {
            await source.Task;
            Assert.True(under.IsCurrent);
            Note("continues");
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
        Assert.Equal(["inner", "outer"], Log);
    }
}

public sealed class ManualOperationTests : OperationContract<ManualSchedulerUnderTest>;

public sealed class NativeOperationTests : OperationContract<NativeSchedulerUnderTest>;
