namespace NativeThreading.Testing.Tests.Contract;

/// <summary>What a consumer of IWorkScheduler may rely on as it queues: order, states, contexts, and refusals of bad arguments.</summary>
/// <typeparam name="TScheduler">The implementation.</typeparam>
public abstract class QueueingContract<TScheduler> : SchedulerContract<TScheduler>
    where TScheduler : SchedulerUnderTest, ICreatable<TScheduler>
{
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
            Assert.Empty(Log);
        }

        under.Settle();
        Assert.Equal(["1 True", "2 two", "3 5", "4 4", "5 five", "6 6", "7", "8 eight", "9 9", "10 ten", "11 11", "12 twelve", "13 13"], Log);
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
        Assert.Equal(["caller True", "- True", "caller True", "- True", "- True"], Log);
        Assert.Equal("later", local.Value);
    }

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

public sealed class ManualQueueingTests : QueueingContract<ManualSchedulerUnderTest>;

public sealed class NativeQueueingTests : QueueingContract<NativeSchedulerUnderTest>;
