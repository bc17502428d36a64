using NativeThreading.Tests.Support;

namespace NativeThreading.Testing.Tests.Contract;

/// <summary>What an item may carry means the same on every implementation.</summary>
/// <typeparam name="TScheduler">The implementation.</typeparam>
public abstract class OptionsContract<TScheduler> : SchedulerContract<TScheduler>
    where TScheduler : SchedulerUnderTest, ICreatable<TScheduler>
{
    [Fact]
    public void HigherPrioritiesRunFirst_AndContinuationsKeepThem()
    {
        using SchedulerUnderTest under = Create();
        using (under.HoldBack())
        {
            foreach (WorkPriority priority in Enum.GetValues<WorkPriority>())
            {
                IWorkScheduler view = under.Scheduler.WithOptions(new WorkOptions { Priority = priority });
                view.QueueUserWorkItem(_ => Note($"{priority} item"));
                view.Run(() => Note($"{priority} task"), CancellationToken.None);
                view.Run(async () =>
                {
                    await Task.Yield();
                    Note($"{priority} operation");
                }, CancellationToken.None);
            }
        }

        under.Settle();
        Assert.Equal(["High", "Normal", "Low"], Log.Select(static entry => entry.Split(' ')[0]).Distinct());
        Assert.Equal(9, Log.Count);
    }

    [Fact]
    public void TokenOfTheOptions_CancelsWhatWaits_AndNothingThatRan()
    {
        using SchedulerUnderTest under = Create();
        using var source = new CancellationTokenSource();
        IWorkScheduler view = under.Scheduler.WithOptions(new WorkOptions { CancellationToken = source.Token });
        Task<int> ran = view.Run(static () => 1, CancellationToken.None);
        under.Settle();
        using (under.HoldBack())
        {
            Task waits = view.Run(() => Note("ran"), CancellationToken.None);
            view.QueueUserWorkItem(_ => Note("ran"));
            source.Cancel();
            Assert.True(waits.IsCanceled);
        }

        under.Settle();
        Assert.Equal(1, Deadline.Result(ran));
        Assert.Empty(Log);
    }

    [Fact]
    public void DefaultOptions_AreTheSchedulerItself_AndBadOnesAreRefused()
    {
        using SchedulerUnderTest under = Create();
        Assert.Same(under.Scheduler, under.Scheduler.WithOptions(default));
        Assert.Same(under.Scheduler, under.Scheduler.WithOptions(new WorkOptions { Priority = WorkPriority.Low }).WithOptions(default));
        Assert.Equal("Priority must be Low, Normal or High, but was 7. (Parameter 'Priority')\nActual value was 7.", Refused(new WorkOptions { Priority = (WorkPriority)7 }));
        Assert.StartsWith(
            "StartWithin must be 0 or more, or Timeout.InfiniteTimeSpan, but was -00:00:01. (Parameter 'StartWithin')",
            Refused(new WorkOptions { StartWithin = TimeSpan.FromSeconds(-1) }),
            StringComparison.Ordinal);

        string Refused(WorkOptions options) =>
            Assert.Throws<ArgumentOutOfRangeException>(() => under.Scheduler.WithOptions(options)).Message.ReplaceLineEndings("\n");
    }

    [Fact]
    public void WorkThatIsDueLater_HasTheOptions()
    {
        using SchedulerUnderTest under = Create();
        IWorkScheduler view = under.Scheduler.WithOptions(new WorkOptions { Priority = WorkPriority.High });
        Task<int> later = view.RunAfter(TimeSpan.Zero, static () => 1, CancellationToken.None);
        Task<TaskScheduler> scheduler = view.RunAfter(TimeSpan.Zero, static () => TaskScheduler.Current, CancellationToken.None);
        under.Pass(later, scheduler);
        Assert.Equal(1, Deadline.Result(later));
        Assert.Equal(view.Scheduler, Deadline.Result(scheduler));
    }

    [Fact]
    public void SwitchTo_GoesOnWithTheSamePriority()
    {
        using SchedulerUnderTest under = Create();
        IWorkScheduler view = under.Scheduler.WithOptions(new WorkOptions { Priority = WorkPriority.High });
        Task switched;
        using (under.HoldBack())
        {
            under.Scheduler.QueueUserWorkItem(_ => Note("normal"));
            switched = Switched();
            view.UnsafeQueueContinuation(Note, "high", preferLocal: false);
        }

        under.Settle();
        Deadline.Wait(switched);
        Assert.Equal(["high", "high", "normal"], Log);

        async Task Switched()
        {
            await view.SwitchTo();
            Note("high");
        }
    }
}

public sealed class ManualOptionsTests : OptionsContract<ManualSchedulerUnderTest>
{
    /// <summary>The second timer, before it is armed, looks like the first one of the clock's first moment.</summary>
    [Fact]
    public void TwoTimersThatAreDueAtOnce_BothFire()
    {
        var pool = new ManualThreadPool();
        using ITimer first = pool.Clock.CreateTimer(_ => Note("first"), null, TimeSpan.Zero, Timeout.InfiniteTimeSpan);
        using ITimer second = pool.Clock.CreateTimer(_ => Note("second"), null, TimeSpan.Zero, Timeout.InfiniteTimeSpan);
        pool.RunFor(TimeSpan.Zero);
        Assert.Equal(["first", "second"], Log);
    }

    [Fact]
    public void Expired_IsCancelledByTheClock_AndNeverRuns()
    {
        var pool = new ManualThreadPool();
        Task expired = pool.Run(() => Note("ran"), new WorkOptions { StartWithin = TimeSpan.FromSeconds(1) });
        Task operation = pool.Run(() => Task.FromResult(1), new WorkOptions { StartWithin = TimeSpan.FromSeconds(1) });
        pool.QueueUserWorkItem(_ => Note("ran"), null, new WorkOptions { StartWithin = TimeSpan.FromSeconds(1) });
        Task inTime = pool.Run(() => Note("in time"), new WorkOptions { StartWithin = TimeSpan.FromSeconds(2) });
        pool.Clock.Advance(TimeSpan.FromSeconds(1));
        pool.RunAll();
        Assert.True(expired.IsCanceled && operation.IsCanceled && inTime.IsCompletedSuccessfully);
        Assert.Equal(["in time"], Log);
        Assert.Equal(0, pool.Clock.ActiveTimerCount);
    }
}

public sealed class NativeOptionsTests : OptionsContract<NativeSchedulerUnderTest>;
