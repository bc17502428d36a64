using NativeThreading.Tests.Limits;
using NativeThreading.Tasks;
using NativeThreading.Tests.Support;
using NativeThreading.Time;

namespace NativeThreading.Tests.Time;

/// <summary><c>RunEvery</c>: what the table of docs/guides/run-later.md says of it.</summary>
public sealed class RunEveryTests
{
    private static readonly TimeSpan s_period = TimeSpan.FromMilliseconds(1);
    private static readonly TimeSpan s_never = TimeSpan.FromHours(1);
    private static readonly CancellationToken s_cancelled = new(canceled: true);

    [Fact]
    public async Task Runs_NeverOverlap()
    {
        await using NativeThreadPool pool = Pools.WithThreads(4);
        using var cancellation = new CancellationTokenSource();
        int running = 0;
        int runs = 0;
        bool overlapped = false;
        Task series = pool.RunEvery(
            s_period,
            async () =>
            {
                overlapped |= Interlocked.Increment(ref running) != 1;
                Assert.Same(pool, NativeThreadPool.Current);
                await Task.Delay(TimeSpan.FromMilliseconds(2.5), pool.TimeProvider); // more than two periods
                Interlocked.Decrement(ref running);
                if (++runs == 5)
                {
                    cancellation.Cancel();
                }
            },
            cancellation.Token);
        await Assert.ThrowsAsync<TaskCanceledException>(() => Deadline.For(series));
        Assert.False(overlapped);
        Assert.Equal(5, runs);
        Assert.Equal(0, PoolTimers.ArmedCount);
    }

    [Fact]
    public async Task Token_EndsTheSeriesAtOnceBetweenTwoRuns()
    {
        await using NativeThreadPool pool = Pools.WithThreads(1);
        using var cancellation = new CancellationTokenSource();
        Task series = pool.RunEvery(s_never, () => Assert.Fail("It ran."), cancellation.Token);
        Assert.Equal(1, PoolTimers.ArmedCount);
        cancellation.Cancel();
        Assert.True(series.IsCanceled);
        Assert.Equal(0, PoolTimers.ArmedCount);
        Assert.True(pool.RunEvery(s_period, () => Assert.Fail("It ran."), cancellation.Token).IsCanceled);
        Assert.Equal(0, PoolTimers.ArmedCount);
    }

    [Fact]
    public async Task RunThatFails_IsTheLast()
    {
        await using NativeThreadPool pool = Pools.WithThreads(1);
        int runs = 0;
        Task series = pool.RunEvery(s_period, (Action)(() =>
        {
            if (++runs == 2)
            {
                throw new FormatException();
            }
        }));
        await Assert.ThrowsAsync<FormatException>(() => Deadline.For(series));
        Assert.Equal(2, runs);
        Assert.Equal(0, PoolTimers.ArmedCount);
    }

    [Theory, CombinatorialBooleans]
    public async Task Shutdown_EndsTheSeries_AfterTheCurrentRun(bool isRunning)
    {
        NativeThreadPool pool = Pools.WithThreads(1);
        var began = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        var goOn = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        int runs = 0;
        Task series = pool.RunEvery(isRunning ? s_period : s_never, async () =>
        {
            began.TrySetResult();
            await goOn.Task;
            runs++;
        });
        if (isRunning)
        {
            await Deadline.For(began.Task);
        }

        Task<long> stopped = pool.ShutdownAsync(CancellationToken.None);
        if (isRunning)
        {
            Assert.False(stopped.IsCompleted);
            Assert.False(series.IsCompleted);
        }

        goOn.SetResult();
        await Deadline.For(series);
        Assert.Equal(0, await Deadline.For(stopped));
        Assert.Equal(isRunning ? 1 : 0, runs);
        Assert.Equal(0, PoolTimers.ArmedCount);
        Action late = () => pool.RunEvery(s_period, () => { });
        Assert.Throws<ObjectDisposedException>(late);
    }

    [Fact]
    public async Task TokenOfTheShutdown_CancelsTheSeries_AndCountsTheItemThatFindsItDue()
    {
        NativeThreadPool pool = Pools.WithThreads(1);
        Task series;
        using (new BlockedWorkers(pool, 1))
        {
            series = pool.RunEvery(s_period, () => Assert.Fail("It ran."));
            Deadline.Until(() => pool.PendingWorkItemCount == 1);
            Assert.Equal(1, await Deadline.For(pool.ShutdownAsync(s_cancelled)));
        }

        await AssertStopped(series, isDropped: true);
    }

    /// <summary>In such a pool the item that finds the series due queues the run. The observer stops the pool right after that.</summary>
    [Theory, CombinatorialBooleans]
    public async Task TokenOfTheShutdown_CancelsTheSeries_AndCountsTheRunInTheQueue(bool isLimited)
    {
        var observer = new StoppingObserver();
        var pool = new NativeThreadPool(new NativeThreadPoolOptions { MaxThreads = 1, WorkObserver = observer, QueueLimit = isLimited ? 1 : null });
        observer.Pool = pool;
        Task series = pool.RunEvery(s_period, () => Assert.Fail("It ran."));
        await AssertStopped(series, isDropped: true);
        Assert.Equal(1, await Deadline.For(pool.ShutdownAsync(CancellationToken.None)));
    }

    /// <summary>The token stops the pool during a run, after which the series is over. No item was dropped.</summary>
    [Fact]
    public async Task TokenOfTheShutdown_DuringARun_CancelsTheSeries_AndCountsNothing()
    {
        NativeThreadPool pool = Pools.WithThreads(1);
        Task<long>? stopped = null;
        Task series = pool.RunEvery(s_period, () => { stopped = pool.ShutdownAsync(s_cancelled); });
        await AssertStopped(series, isDropped: false);
        Assert.Equal(0, await Deadline.For(stopped!));
    }

    [Fact]
    public async Task FullQueue_LeavesARunOut_OrLetsItWait()
    {
        foreach (QueueFullMode mode in Enum.GetValues<QueueFullMode>())
        {
            NativeThreadPool pool = Limited.Pool(1, mode);
            var ran = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
            Task series;
            using (new BlockedWorkers(pool, 1))
            {
                series = pool.RunEvery(s_period, () => { ran.TrySetResult(); });
                Deadline.Until(() => pool.PendingWorkItemCount == 1);
                pool.Fill();
            }

            await Deadline.For(ran.Task); // of a rejected run, the next one
            await Deadline.For(pool.DisposeAsync().AsTask());
            await Deadline.For(series);
        }
    }

    [Fact]
    public async Task FunctionThatIsRejectedByAnotherPool_EndsTheSeries()
    {
        await using NativeThreadPool pool = Limited.Pool(1, QueueFullMode.Reject);
        Task series = pool.RunEvery(s_period, () => Task.FromException(new QueueFullException("other", 1)));
        await Assert.ThrowsAsync<QueueFullException>(() => Deadline.For(series));
    }

    [Fact]
    [Trait("Category", "Race")]
    public void SeriesThatMeetShutdownAndToken_AllEnd()
    {
        foreach (int round in Soak.Repeat(30))
        {
            NativeThreadPool pool = Pools.WithThreads(2);
            using var cancellation = new CancellationTokenSource();
            using var stop = new CancellationTokenSource();
            var series = new List<Task>();
            for (int i = 0; i < 8; i++)
            {
                series.Add(pool.RunEvery(s_period, () => Task.Yield().GetAwaiter().IsCompleted ? Task.CompletedTask : Task.Delay(1, CancellationToken.None), cancellation.Token));
            }

            Deadline.Until(() => pool.CompletedWorkItemCount > 8);
            Race.Run(
                () => pool.ShutdownAsync(round % 3 == 0 ? stop.Token : CancellationToken.None),
                () => cancellation.Cancel(),
                () => stop.Cancel());
            series.ForEach(static task => Deadline.Until(() => task.IsCompleted, "a series ends"));
            Assert.DoesNotContain(series, static task => task.IsFaulted);
            Deadline.Wait(pool.ShutdownAsync(CancellationToken.None));
            Assert.Equal(0, PoolTimers.ArmedCount);
        }
    }

    [Fact]
    public void ArgumentsOutOfRange_Throw()
    {
        using NativeThreadPool pool = Pools.WithThreads(1);
        Action noAction = () => pool.RunEvery(s_period, (Action)null!);
        Action noFunction = () => pool.RunEvery(s_period, (Func<Task>)null!);
        Action noPeriod = () => pool.RunEvery(TimeSpan.Zero, () => { });
        Assert.Throws<ArgumentNullException>("action", noAction);
        Assert.Throws<ArgumentNullException>("function", noFunction);
        var error = Assert.Throws<ArgumentOutOfRangeException>("period", noPeriod);
        Assert.StartsWith("period must be between 1 and 4294967294 ms, but was 00:00:00.", error.Message, StringComparison.Ordinal);
    }

    private static async Task AssertStopped(Task series, bool isDropped)
    {
        TaskCanceledException ended = await Assert.ThrowsAsync<TaskCanceledException>(() => Deadline.For(series));
        Assert.Equal(s_cancelled, ended.CancellationToken);
        Assert.Equal(isDropped, ended.Message == CancelledTask.StopMessage);
        Assert.Equal(0, PoolTimers.ArmedCount);
    }

    private sealed class StoppingObserver : IWorkObserver
    {
        public NativeThreadPool? Pool { get; set; }

        public void Queued(in WorkInfo work) => Pool!.ShutdownAsync(s_cancelled);
    }
}
