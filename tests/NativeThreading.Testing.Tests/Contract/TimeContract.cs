using NativeThreading.Tests.Support;

namespace NativeThreading.Testing.Tests.Contract;

/// <summary>What a consumer of IWorkScheduler may rely on as it runs work later.</summary>
/// <typeparam name="TScheduler">The implementation.</typeparam>
public abstract class TimeContract<TScheduler> : SchedulerContract<TScheduler>
    where TScheduler : SchedulerUnderTest, ICreatable<TScheduler>
{
    private static readonly TimeSpan s_soon = TimeSpan.FromMilliseconds(1);
    private static readonly TimeSpan s_never = TimeSpan.FromHours(1);

    [Fact]
    public void RunAfter_RunsEveryKindOfFunction_InTheScheduler()
    {
        using SchedulerUnderTest under = Create();
        IWorkScheduler scheduler = under.Scheduler;
        bool ran = false;
        Task action = scheduler.RunAfter(s_soon, () => { ran = under.IsCurrent; }, CancellationToken.None);
        Task<int> result = scheduler.RunAfter(s_soon, () => 42, CancellationToken.None);
        Task<bool> operation = scheduler.RunAfter(s_soon, async () =>
        {
            await Task.Delay(s_soon, scheduler.TimeProvider, CancellationToken.None);
            return under.IsCurrent;
        }, CancellationToken.None);
        Task failed = scheduler.RunAfter(s_soon, (Func<Task>)(() => throw new FormatException()), CancellationToken.None);
        under.Pass(action, result, operation, failed);
        Assert.True(ran);
        Assert.Equal(42, Deadline.Result(result));
        Assert.True(Deadline.Result(operation));
        Assert.IsType<FormatException>(failed.Exception!.InnerException);
    }

    [Fact]
    public void RunAfter_EndsWithItsToken_OrTheShutdown()
    {
        using SchedulerUnderTest under = Create();
        using var cancellation = new CancellationTokenSource();
        Task cancelled = under.Scheduler.RunAfter(s_never, () => Assert.Fail("It ran."), cancellation.Token);
        Task refused = under.Scheduler.RunAfter(s_never, () => Assert.Fail("It ran."), CancellationToken.None);
        cancellation.Cancel();
        Assert.True(cancelled.IsCanceled);
        Deadline.Wait(under.ShutdownAsync(CancellationToken.None));
        Assert.Throws<ObjectDisposedException>(() => Deadline.Wait(refused));
        Action late = () => under.Scheduler.RunAfter(s_soon, () => 1, CancellationToken.None);
        Assert.Throws<ObjectDisposedException>(late);
    }

    [Fact]
    public void RunEvery_RepeatsUntilARunFails()
    {
        using SchedulerUnderTest under = Create();
        int runs = 0;
        Task series = under.Scheduler.RunEvery(s_soon, async () =>
        {
            await Task.Yield();
            if (++runs == 3)
            {
                throw new FormatException();
            }
        }, CancellationToken.None);
        under.Pass(series);
        Assert.IsType<FormatException>(series.Exception!.InnerException);
        Assert.Equal(3, runs);
    }

    [Fact]
    public void RunEvery_EndsWithItsToken_OrTheShutdown()
    {
        using SchedulerUnderTest under = Create();
        using var cancellation = new CancellationTokenSource();
        Task cancelled = under.Scheduler.RunEvery(s_never, () => Assert.Fail("It ran."), cancellation.Token);
        Task ended = under.Scheduler.RunEvery(s_never, () => Assert.Fail("It ran."), CancellationToken.None);
        cancellation.Cancel();
        Assert.True(cancelled.IsCanceled);
        Deadline.Wait(under.ShutdownAsync(CancellationToken.None));
        Deadline.Wait(ended);
    }
}

public sealed class ManualTimeTests : TimeContract<ManualSchedulerUnderTest>
{
    [Fact]
    public void RunAfterAndRunEvery_FollowTheClock()
    {
        var pool = new ManualThreadPool();
        var log = new List<(string, TimeSpan)>();
        DateTimeOffset began = pool.TimeProvider.GetUtcNow();
        void Note(string what) => log.Add((what, pool.TimeProvider.GetUtcNow() - began));
        _ = pool.RunAfter(TimeSpan.FromMinutes(25), () => Note("after"), CancellationToken.None);
        using var cancellation = new CancellationTokenSource();
        Task series = pool.RunEvery(
            TimeSpan.FromMinutes(10),
            async () =>
            {
                Note("every");
                await Task.Delay(TimeSpan.FromMinutes(15), pool.TimeProvider, CancellationToken.None); // the run at 20 minutes is left out
            },
            cancellation.Token);
        pool.RunFor(TimeSpan.FromMinutes(60));
        Assert.Equal(
            [("every", TimeSpan.FromMinutes(10)), ("after", TimeSpan.FromMinutes(25)), ("every", TimeSpan.FromMinutes(30)), ("every", TimeSpan.FromMinutes(50))],
            log);
        cancellation.Cancel();
        pool.RunFor(TimeSpan.FromMinutes(10));
        Assert.True(series.IsCanceled);
        Assert.Equal(0, pool.Clock.ActiveTimerCount);
    }
}

public sealed class NativeTimeTests : TimeContract<NativeSchedulerUnderTest>;
