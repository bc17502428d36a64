using NativeThreading.Tests.Support;

namespace NativeThreading.Testing.Tests.Contract;

/// <summary>What becomes of each kind of work when the token of a shutdown is cancelled: the table of docs/reference/shutdown.md, row by row.</summary>
/// <typeparam name="TScheduler">The implementation.</typeparam>
public abstract class ShutdownContract<TScheduler> : SchedulerContract<TScheduler>
    where TScheduler : SchedulerUnderTest, ICreatable<TScheduler>
{
    private CancellationToken _stopToken;

    /// <summary>The framework lets only its own token cancel the task of a synchronous function. So that task fails, with the same exception.</summary>
    [Theory, MemberData(nameof(TokenCalls.Entries), MemberType = typeof(TokenCalls))]
    public void CallWhoseFunctionHasNotBegun_IsCancelledByTheTokenOfTheShutdown(string call)
    {
        foreach (int? limit in new int?[] { null, 100 })
        {
            using var ofTheCall = new CancellationTokenSource();
            using SchedulerUnderTest under = Create(limit);
            using (under.HoldBack())
            {
                Task tokenless = under.Scheduler.Call(call, () => Note("ran"), CancellationToken.None);
                Task tokened = under.Scheduler.Call(call, () => Note("ran"), ofTheCall.Token);
                Assert.Equal(2, Stop(under));
                foreach (Task task in new[] { tokenless, tokened })
                {
                    var exception = Assert.ThrowsAny<OperationCanceledException>(() => Deadline.Wait(task));
                    Assert.Equal(_stopToken, exception.CancellationToken);
                    Assert.Equal(call.Contains("async", StringComparison.Ordinal) ? TaskStatus.Canceled : TaskStatus.Faulted, task.Status);
                }
            }

            Assert.Equal((0L, 0L), (under.PendingCount, under.RanElsewhereCount));
            Assert.Throws<ObjectDisposedException>(() =>
            {
                under.Scheduler.QueueUserWorkItem(_ => { });
            });
        }

        Assert.Empty(Log);
    }

    [Theory]
    [InlineData("RunAsync(Action)")]
    [InlineData("RunAsync(Func)")]
    [InlineData("RunAsync(async)")]
    [InlineData("RunAsync(async with a result)")]
    public void CallThatWaitedForItsPermit_IsCancelledToo(string call)
    {
        using SchedulerUnderTest under = Create(limit: 1, QueueFullMode.Wait);
        using var ofTheFirst = new CancellationTokenSource();
        using (under.HoldBack())
        {
            Task first = under.Scheduler.Call(call, () => Note("ran"), ofTheFirst.Token);
            Task granted = under.Scheduler.Call(call, () => Note("ran"), CancellationToken.None);
            ofTheFirst.Cancel();
            Assert.True(first.IsCanceled);
            Assert.Equal(1, Stop(under));
            Assert.Equal(_stopToken, Assert.ThrowsAny<OperationCanceledException>(() => Deadline.Wait(granted)).CancellationToken);
        }

        Assert.Empty(Log);
    }

    [Theory]
    [InlineData("RunAsync(Action)")]
    [InlineData("RunAsync(async)")]
    public void CallerFromOutsideThatWaitsForAPermit_IsRefused(string call)
    {
        using SchedulerUnderTest under = Create(limit: 1, QueueFullMode.Wait);
        using (under.HoldBack())
        {
            under.Scheduler.QueueUserWorkItem(_ => Note("ran"));
            Task run = under.Scheduler.Call(call, () => Note("ran"), CancellationToken.None);
            Task accepted = under.Scheduler.QueueAsync(_ => Note("ran"), null, CancellationToken.None).AsTask();
            Assert.Equal(1, Stop(under)); // the item that had a permit
            Assert.Throws<ObjectDisposedException>(() => Deadline.Wait(run));
            Assert.Throws<ObjectDisposedException>(() => Deadline.Wait(accepted));
        }

        Assert.Empty(Log);
    }

    [Fact]
    public void RawItems_AreDroppedAndCounted()
    {
        using SchedulerUnderTest under = Create();
        using (under.HoldBack())
        {
            under.Scheduler.QueueUserWorkItem(_ => Note("ran"));
            under.Scheduler.UnsafeQueueUserWorkItem(_ => Note("ran"), null);
            under.Scheduler.QueueUserWorkItem(static _ => { }, 1, preferLocal: true);
            Assert.Equal(3, Stop(under));
        }

        Assert.Empty(Log);
    }

    /// <summary>They may be the rest of an async method, so they run.</summary>
    [Theory, MemberData(nameof(TokenCalls.Tasks), MemberType = typeof(TokenCalls))]
    public void TasksOfTheScheduler_RunElsewhere(string call)
    {
        using SchedulerUnderTest under = Create();
        using var ran = new ManualResetEventSlim();
        using (under.HoldBack())
        {
            Task task = under.Scheduler.Call(call, ran.Set, CancellationToken.None);
            Assert.Equal(0, Stop(under));
            Deadline.Wait(task);
            Deadline.Wait(ran);
        }

        Assert.Equal(1, under.RanElsewhereCount);
    }

    [Fact]
    public void Continuations_RunElsewhere()
    {
        using SchedulerUnderTest under = Create();
        using var ran = new ManualResetEventSlim();
        using (under.HoldBack())
        {
            under.Scheduler.UnsafeQueueContinuation(static ran => ran.Set(), ran, preferLocal: false);
            Task switches = Switch();
            Assert.Equal(0, Stop(under));
            Deadline.Wait(ran);
            Deadline.Wait(switches);
        }

        Assert.Equal(2, under.RanElsewhereCount);

        async Task Switch() => await under.Scheduler.SwitchTo();
    }

    /// <summary>A cancelled call is settled: it is not counted a second time.</summary>
    [Theory, MemberData(nameof(TokenCalls.Entries), MemberType = typeof(TokenCalls))]
    public void CancelledCall_IsNotCounted(string call)
    {
        foreach (int? limit in new int?[] { null, 100 })
        {
            using SchedulerUnderTest under = Create(limit);
            using var ofTheCall = new CancellationTokenSource();
            using (under.HoldBack())
            {
                Task cancelled = under.Scheduler.Call(call, () => Note("ran"), ofTheCall.Token);
                ofTheCall.Cancel();
                Assert.Equal(0, Stop(under));
                Assert.Equal(ofTheCall.Token, Assert.ThrowsAny<OperationCanceledException>(() => Deadline.Wait(cancelled)).CancellationToken);
            }

            Assert.Equal((0L, 0L), (under.PendingCount, under.RanElsewhereCount));
        }

        Assert.Empty(Log);
    }

    /// <summary>Without a token the accepted work runs, and new work is refused.</summary>
    [Fact]
    public void ShutdownWithoutAToken_RunsWhatWasAccepted()
    {
        using SchedulerUnderTest under = Create();
        Task<long> stopped;
        using (under.HoldBack())
        {
            under.Scheduler.QueueUserWorkItem(_ => Note("item"));
            _ = under.Scheduler.Run(TwoSteps, CancellationToken.None);
            stopped = under.ShutdownAsync(CancellationToken.None);
            Assert.False(stopped.IsCompleted);
            Assert.Throws<ObjectDisposedException>(() =>
            {
                _ = under.Scheduler.Run(() => Note("late"), CancellationToken.None);
            });
            Assert.Throws<ObjectDisposedException>(() => Deadline.Wait(under.Scheduler.RunAsync(() => Note("late"), CancellationToken.None)));
            Assert.Throws<ObjectDisposedException>(() => Deadline.Wait(under.Scheduler.QueueAsync(_ => Note("late"), null, CancellationToken.None).AsTask()));
        }

        Deadline.Until(() =>
        {
            under.Settle();
            return stopped.IsCompleted;
        });
        Assert.Equal(0, Deadline.Result(stopped));
        Assert.Equal(["item", "first", "second"], Log);

        async Task TwoSteps()
        {
            Note("first");
            await Task.Yield();
            Note("second");
        }
    }

    private long Stop(SchedulerUnderTest under)
    {
        using var source = new CancellationTokenSource();
        _stopToken = source.Token;
        Task<long> stopped = under.ShutdownAsync(source.Token);
        source.Cancel();
        return Deadline.Result(stopped);
    }
}

public sealed class ManualShutdownTests : ShutdownContract<ManualSchedulerUnderTest>;

public sealed class NativeShutdownTests : ShutdownContract<NativeSchedulerUnderTest>;
