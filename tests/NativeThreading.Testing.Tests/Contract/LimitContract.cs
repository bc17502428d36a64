using NativeThreading.Tests.Support;

namespace NativeThreading.Testing.Tests.Contract;

/// <summary>What a consumer of IWorkScheduler may rely on where its queue has a limit.</summary>
/// <typeparam name="TScheduler">The implementation.</typeparam>
public abstract class LimitContract<TScheduler> : SchedulerContract<TScheduler>
    where TScheduler : SchedulerUnderTest, ICreatable<TScheduler>
{
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
        Assert.Equal(["next"], Log);
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
        Assert.Equal(["1", "2"], Log);
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
            return Log.Count == 4;
        });
        Deadline.Wait(Task.WhenAll(tasks[0], tasks[2], tasks[4]));
        Assert.Equal(["0", "1", "2", "3"], Log);
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
            Assert.Equal(["1", "2", "3"], Log);
            Assert.False(operation.IsCompleted);
        }

        under.Settle();
        Assert.Equal(["1", "2", "3", "queued"], Log);
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
            under.Scheduler.UnsafeQueueContinuation(_ => Note("continues"), 0, preferLocal: false);
        }

        under.Settle();
        Deadline.Wait(operation);
        Assert.Equal(["continues"], Log);
    }
}

public sealed class ManualLimitTests : LimitContract<ManualSchedulerUnderTest>;

public sealed class NativeLimitTests : LimitContract<NativeSchedulerUnderTest>;
