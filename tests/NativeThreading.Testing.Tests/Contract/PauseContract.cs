using NativeThreading.Tests.Support;

namespace NativeThreading.Testing.Tests.Contract;

/// <summary>A pause holds back work that has not started, and nothing else: the table of docs/guides/work-options.md.</summary>
/// <typeparam name="TScheduler">The implementation.</typeparam>
public abstract class PauseContract<TScheduler> : SchedulerContract<TScheduler>
    where TScheduler : SchedulerUnderTest, ICreatable<TScheduler>
{
    [Theory]
    [InlineData(null)]
    [InlineData(1_000)]
    public void Paused_HoldsWhatBegins_AndLetsTheRestGoOn(int? limit)
    {
        using SchedulerUnderTest under = Create(limit);
        IWorkScheduler scheduler = under.Scheduler;
        var gate = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        Task<bool> open = scheduler.Run(
            async () =>
            {
                await gate.Task;
                var inner = new TaskCompletionSource();
                scheduler.UnsafeQueueUserWorkItem(static inner => inner.SetResult(), inner, preferLocal: true); // an item that a running item queues starts
                await inner.Task;
                return under.IsPaused;
            },
            CancellationToken.None);
        under.Settle();
        under.BeginPause();
        under.BeginPause();
        Assert.True(under.IsPaused);
        for (int i = 0; i < 100; i++)
        {
            int number = i;
            scheduler.QueueUserWorkItem(_ => Note($"{number}"));
        }

        Task[] held =
        [
            scheduler.Run(() => Note("task"), CancellationToken.None),
            scheduler.Run(() => Task.FromResult(1), CancellationToken.None),
            scheduler.Run(() => Note("high"), new WorkOptions { Priority = WorkPriority.High }),
            Task.Factory.StartNew(() => Note("started"), CancellationToken.None, TaskCreationOptions.None, scheduler.Scheduler),
        ];
        gate.SetResult();
        under.Until(() => open.IsCompleted);
        Assert.True(Deadline.Result(open));
        Assert.All(held, static task => Assert.False(task.IsCompleted));
        Assert.Empty(Log);
        Assert.Equal(104, under.PendingCount);

        under.EndPause();
        under.EndPause();
        under.Until(() => Task.WhenAll(held).IsCompletedSuccessfully);
        under.Settle();
        Assert.Equal(["high", .. Enumerable.Range(0, 100).Select(static i => $"{i}"), "task", "started"], Log);
        Assert.False(under.IsPaused);
    }

    [Fact]
    public void Paused_HoldsWorkThatBecomesDue_AndNoTimer()
    {
        using SchedulerUnderTest under = Create();
        under.BeginPause();
        Task due = under.Scheduler.RunAfter(TimeSpan.Zero, () => Note("due"), CancellationToken.None);
        Task delay = Task.Delay(TimeSpan.FromMilliseconds(1), under.Scheduler.TimeProvider, CancellationToken.None);
        under.Until(() => delay.IsCompleted && under.PendingCount == 1);
        Assert.Empty(Log);
        under.EndPause();
        under.Until(() => due.IsCompletedSuccessfully);
    }

    [Fact]
    public void Paused_HoldsItemsOfKeys()
    {
        using SchedulerUnderTest under = Create();
        var queue = new KeyedQueue<int>(under.Scheduler);
        under.BeginPause();
        Task[] held = [.. Enumerable.Range(0, 10).Select(i => queue.Run(i % 2, () => Note("ran"), CancellationToken.None))];
        Assert.Empty(Log);
        Assert.NotEqual(0, under.PendingCount);
        under.EndPause();
        under.Until(() => Task.WhenAll(held).IsCompletedSuccessfully);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void Shutdown_EndsThePause(bool byToken)
    {
        using SchedulerUnderTest under = Create();
        under.BeginPause();
        Task held = under.Scheduler.Run(static () => { }, CancellationToken.None);
        Task<long> stopped = under.ShutdownAsync(new CancellationToken(byToken));
        under.Until(() => stopped.IsCompleted);
        Assert.Equal(byToken ? 1 : 0, Deadline.Result(stopped));
        Assert.Equal(!byToken, held.IsCompletedSuccessfully);
        under.BeginPause(); // too late
        Assert.False(under.IsPaused);
    }

    [Fact]
    public void WaitForIdle_CompletesWhenAllHasCompleted_HeldWorkAndOpenOperationsToo()
    {
        using SchedulerUnderTest under = Create();
        Deadline.Wait(under.WaitForIdleAsync(CancellationToken.None)); // nothing was queued yet
        Assert.True(under.WaitForIdleAsync(new CancellationToken(canceled: true)).IsCanceled);
        under.BeginPause();
        Task held = under.Scheduler.Run(() => { }, CancellationToken.None);
        Task afterHeld = under.WaitForIdleAsync(CancellationToken.None);
        Assert.False(afterHeld.IsCompleted);
        under.EndPause();
        under.Until(() => afterHeld.IsCompleted);
        Assert.True(held.IsCompletedSuccessfully);
        var gate = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        Task open = under.Scheduler.Run(() => gate.Task, CancellationToken.None);
        under.Settle();
        using var source = new CancellationTokenSource();
        Task idle = under.WaitForIdleAsync(CancellationToken.None);
        Task cancelled = under.WaitForIdleAsync(source.Token);
        Assert.False(idle.IsCompleted || cancelled.IsCompleted);
        source.Cancel();
        Assert.ThrowsAny<OperationCanceledException>(() => Deadline.Wait(cancelled));
        Assert.True(under.WaitForIdleAsync(source.Token).IsCanceled);
        Assert.False(idle.IsCompleted);
        gate.SetResult();
        under.Until(() => idle.IsCompleted);
        Assert.True(idle.IsCompletedSuccessfully && open.IsCompleted);
    }

    [Fact]
    public void WaitForIdle_CompletesWhenATokenStopsThePool()
    {
        using SchedulerUnderTest under = Create();
        var never = new TaskCompletionSource();
        _ = under.Scheduler.Run(() => never.Task, CancellationToken.None);
        under.Settle();
        Task idle = under.WaitForIdleAsync(CancellationToken.None);
        Assert.False(idle.IsCompleted);
        Deadline.Wait(under.ShutdownAsync(new CancellationToken(canceled: true)));
        Deadline.Wait(idle);
        Deadline.Wait(under.WaitForIdleAsync(CancellationToken.None));
    }

    [Fact]
    public void FullQueueOfAPausedPool_Refuses_AndACallerThatWaitsGetsItsPermitLater()
    {
        using SchedulerUnderTest under = Create(1, QueueFullMode.Wait);
        under.BeginPause();
        under.Scheduler.QueueUserWorkItem(_ => Note("held"));
        Assert.False(under.Scheduler.TryQueueUserWorkItem(_ => { }, null));
        Task waits = under.Scheduler.QueueAsync(_ => Note("waited"), null, CancellationToken.None).AsTask();
        Assert.False(waits.IsCompleted);
        under.EndPause();
        under.Until(() => Log.Count == 2);
        Assert.Equal(["held", "waited"], Log);
        Deadline.Wait(waits);
    }
}

public sealed class ManualPauseTests : PauseContract<ManualSchedulerUnderTest>;

public sealed class NativePauseTests : PauseContract<NativeSchedulerUnderTest>;
