using NativeThreading.Tests.Support;

namespace NativeThreading.Testing.Tests.Contract;

/// <summary>A token ends a call that waits in the queue at once, whatever waits before it.</summary>
/// <typeparam name="TScheduler">The implementation.</typeparam>
public abstract class CancellationContract<TScheduler> : SchedulerContract<TScheduler>
    where TScheduler : SchedulerUnderTest, ICreatable<TScheduler>
{
    [Theory, MemberData(nameof(TokenCalls.Watched), MemberType = typeof(TokenCalls))]
    public void CancelledCall_EndsAtOnceAndCountsNoMore(string call)
    {
        foreach (int? limit in new int?[] { null, 100 })
        {
            using SchedulerUnderTest under = Create(limit);
            using var source = new CancellationTokenSource();
            bool ran = false;
            using (under.HoldBack())
            {
                under.Scheduler.QueueUserWorkItem(_ => Note("before"));
                Task cancelled = under.Scheduler.Call(call, () => ran = true, source.Token);
                under.Scheduler.QueueUserWorkItem(_ => Note("after"));
                Assert.Equal(3, under.PendingCount);
                source.Cancel();
                Assert.Equal((TaskStatus.Canceled, 2L), (cancelled.Status, under.PendingCount));
                Assert.Equal(source.Token, Assert.ThrowsAny<OperationCanceledException>(() => Deadline.Wait(cancelled)).CancellationToken);
            }

            under.Settle();
            Assert.False(ran);
            Assert.Equal(0, under.PendingCount);
        }

        Assert.Equal(["before", "after", "before", "after"], Log);
    }

    /// <summary>A deadline of 50 ms is reported after 50 ms, though no item ends meanwhile.</summary>
    [Theory, MemberData(nameof(TokenCalls.Watched), MemberType = typeof(TokenCalls))]
    public void Deadline_IsReportedWhileLongItemsRun(string call)
    {
        using SchedulerUnderTest under = Create();
        using var source = new CancellationTokenSource();
        using (under.HoldBack())
        {
            Task waiting = under.Scheduler.Call(call, () => Note("ran"), source.Token);
            source.CancelAfter(TimeSpan.FromMilliseconds(50));
            Assert.ThrowsAny<OperationCanceledException>(() => Deadline.Wait(waiting));
        }

        under.Settle();
        Assert.Empty(Log);
    }

    /// <summary>The place in a queue with a limit is free at once.</summary>
    [Theory, MemberData(nameof(TokenCalls.Entries), MemberType = typeof(TokenCalls))]
    public void CancelledCall_LeavesItsPlaceToTheNext(string call)
    {
        using SchedulerUnderTest under = Create(limit: 1);
        using var source = new CancellationTokenSource();
        using (under.HoldBack())
        {
            Task cancelled = under.Scheduler.Call(call, () => Note("cancelled"), source.Token);
            Assert.False(under.Scheduler.TryQueueUserWorkItem(_ => Note("too early"), null));
            source.Cancel();
            Assert.True(cancelled.IsCanceled);
            Assert.True(under.Scheduler.TryQueueUserWorkItem(_ => Note("next"), null));
            Assert.Equal(1, under.PendingCount);
        }

        under.Settle();
        Assert.Equal(["next"], Log);
        Assert.Equal(0, under.PendingCount);
    }

    /// <summary>A call that waited for its permit is an item of another kind.</summary>
    [Theory]
    [InlineData("RunAsync(Action)")]
    [InlineData("RunAsync(Func)")]
    [InlineData("RunAsync(async)")]
    [InlineData("RunAsync(async with a result)")]
    public void CallThatWaitedForAPermit_CountsNoMoreEither(string call)
    {
        using SchedulerUnderTest under = Create(limit: 1, QueueFullMode.Wait);
        using CancellationTokenSource first = new(), second = new(), third = new();
        using (under.HoldBack())
        {
            Task granted = under.Scheduler.Call(call, () => Note("first"), first.Token);
            Task waiting = under.Scheduler.Call(call, () => Note("second"), second.Token);
            Task last = under.Scheduler.Call(call, () => Note("third"), third.Token);
            third.Cancel(); // while it waits
            first.Cancel(); // the second has a permit now
            Assert.Equal((true, false, true, 1L), (granted.IsCanceled, waiting.IsCompleted, last.IsCanceled, under.PendingCount));
            second.Cancel();
            Assert.Equal((true, 0L), (waiting.IsCanceled, under.PendingCount));
        }

        under.Settle();
        Assert.Equal(0, under.PendingCount);
        using (under.HoldBack())
        {
            Assert.True(under.Scheduler.TryQueueUserWorkItem(_ => { }, null));
            Assert.Equal(1, under.PendingCount);
        }

        under.Settle();
        Assert.Empty(Log);
    }

    /// <summary>Cancelled before the call, a task never gets a slot.</summary>
    [Theory, MemberData(nameof(TokenCalls.Entries), MemberType = typeof(TokenCalls))]
    public void TokenCancelledBefore_TakesNoSlot(string call)
    {
        foreach (int? limit in new int?[] { null, 100 })
        {
            using SchedulerUnderTest under = Create(limit);
            using (under.HoldBack())
            {
                Assert.True(under.Scheduler.Call(call, () => Note("ran"), new CancellationToken(canceled: true)).IsCanceled);
                Assert.Equal(0, under.PendingCount);
                under.Scheduler.QueueUserWorkItem(_ => { });
                Assert.Equal(1, under.PendingCount);
            }

            under.Settle();
        }

        Assert.Empty(Log);
    }
}

public sealed class ManualCancellationTests : CancellationContract<ManualSchedulerUnderTest>;

public sealed class NativeCancellationTests : CancellationContract<NativeSchedulerUnderTest>;
