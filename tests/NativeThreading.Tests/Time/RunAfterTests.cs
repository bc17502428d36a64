using NativeThreading.Tests.Limits;
using NativeThreading.Tests.Support;
using NativeThreading.Time;

namespace NativeThreading.Tests.Time;

/// <summary><c>RunAfter</c>: what the table of docs/guides/run-later.md says of it.</summary>
public sealed class RunAfterTests
{
    private static readonly TimeSpan s_soon = TimeSpan.FromMilliseconds(1);
    private static readonly TimeSpan s_never = TimeSpan.FromHours(1);

    [Fact]
    public async Task EveryKindOfFunction_RunsOnThePool_WithItsOutcome()
    {
        await using NativeThreadPool pool = Pools.WithThreads(1);
        NativeThreadPool? ranOn = null;
        await Deadline.For(pool.RunAfter(s_soon, () => { ranOn = NativeThreadPool.Current; }));
        Assert.Same(pool, ranOn);
        Assert.Equal(17, await Deadline.For(pool.RunAfter(s_soon, () => 17)));
        await Deadline.For(pool.RunAfter(s_soon, async () =>
        {
            await Task.Yield();
            ranOn = NativeThreadPool.Current;
        }));
        Assert.Same(pool, ranOn);
        Assert.Equal(18, await Deadline.For(pool.RunAfter(TimeSpan.Zero, async () =>
        {
            await Task.Yield();
            return 18;
        })));
        Assert.Equal(0, pool.PendingWorkItemCount);
    }

    [Fact]
    public async Task FunctionThatThrows_FailsItsTask()
    {
        await using NativeThreadPool pool = Pools.WithThreads(1);
        await Assert.ThrowsAsync<FormatException>(() => Deadline.For(pool.RunAfter(s_soon, (Action)(() => throw new FormatException()))));
        await Assert.ThrowsAsync<FormatException>(() => Deadline.For(pool.RunAfter(s_soon, int () => throw new FormatException())));
        await Assert.ThrowsAsync<FormatException>(() => Deadline.For(pool.RunAfter(s_soon, async () =>
        {
            await Task.Yield();
            throw new FormatException();
        })));
    }

    [Theory, CombinatorialBooleans]
    public async Task Token_CancelsAtOnce_AndDisarmsTheTimer(bool isLimited)
    {
        await using NativeThreadPool pool = isLimited ? Limited.Pool(1, QueueFullMode.Reject) : Pools.WithThreads(1);
        using var cancellation = new CancellationTokenSource();
        Task task = pool.RunAfter(s_never, () => Assert.Fail("It ran."), cancellation.Token);
        Assert.Equal(1, PoolTimers.ArmedCount);
        cancellation.Cancel();
        Assert.True(task.IsCanceled);
        Assert.Equal(0, PoolTimers.ArmedCount);
        Assert.Equal(cancellation.Token, (await Assert.ThrowsAsync<TaskCanceledException>(() => task)).CancellationToken);
        Assert.True(pool.RunAfter(s_soon, () => Assert.Fail("It ran."), cancellation.Token).IsCanceled);
        Assert.Equal(0, PoolTimers.ArmedCount);
        Assert.Equal(0, pool.PendingWorkItemCount);
    }

    [Fact]
    public void Token_CancelsWhatIsDueAndWaitsInTheQueue()
    {
        using NativeThreadPool pool = Pools.WithThreads(1);
        using var cancellation = new CancellationTokenSource();
        using (new BlockedWorkers(pool, 1))
        {
            Task task = pool.RunAfter(TimeSpan.Zero, () => Assert.Fail("It ran."), cancellation.Token);
            Deadline.Until(() => pool.PendingWorkItemCount == 1);
            cancellation.Cancel();
            Assert.True(task.IsCanceled);
            Assert.Equal(0, pool.PendingWorkItemCount);
        }

        pool.WaitUntilQuiet();
        Assert.Equal(0, pool.PendingWorkItemCount);
    }

    [Fact]
    public void FullQueue_DecidesByItsModeWhenTheDelayIsOver()
    {
        foreach (QueueFullMode mode in Enum.GetValues<QueueFullMode>())
        {
            using NativeThreadPool pool = Limited.Pool(1, mode);
            Task<NativeThreadPool?> task;
            using (new BlockedWorkers(pool, 1))
            {
                task = pool.RunAfter(TimeSpan.Zero, () => NativeThreadPool.Current);
                Deadline.Until(() => pool.PendingWorkItemCount == 1);
                pool.Fill(); // the queue is still full when the delayed item makes its call
            }

            if (mode == QueueFullMode.Reject)
            {
                Assert.Throws<QueueFullException>(() => Deadline.Wait(task));
            }
            else
            {
                Assert.Same(pool, Deadline.Result(task));
            }

            pool.AssertEmpty();
        }
    }

    [Fact]
    public async Task Shutdown_FailsWhatWaitsForItsTime_AtOnce()
    {
        NativeThreadPool pool = Pools.WithThreads(1);
        Task<int> task = pool.RunAfter(s_never, () => 1);
        await Deadline.For(pool.DisposeAsync().AsTask());
        await Assert.ThrowsAsync<ObjectDisposedException>(() => Deadline.For(task));
        Assert.Equal(0, PoolTimers.ArmedCount);
        Action late = () => pool.RunAfter(s_soon, () => 1);
        Assert.Throws<ObjectDisposedException>(late);
    }

    [Fact]
    public async Task Shutdown_RunsWhatIsDue()
    {
        NativeThreadPool pool = Pools.WithThreads(1);
        Task<int> task;
        Task stopped;
        using (new BlockedWorkers(pool, 1))
        {
            task = pool.RunAfter(TimeSpan.Zero, () => 1);
            Deadline.Until(() => pool.PendingWorkItemCount == 1);
            stopped = pool.ShutdownAsync(CancellationToken.None);
        }

        await Deadline.For(stopped);
        Assert.Equal(1, await Deadline.For(task));
    }

    [Fact]
    public async Task Shutdown_WaitsForTheDelayOfAnOperation()
    {
        NativeThreadPool pool = Pools.WithThreads(1);
        var began = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        var goOn = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        Task<int> operation = pool.Run(async () =>
        {
            began.SetResult();
            await goOn.Task;
            return await pool.RunAfter(TimeSpan.FromMilliseconds(5), () => 1); // the pool drains
        });
        await Deadline.For(began.Task);
        Task<long> stopped = pool.ShutdownAsync(CancellationToken.None);
        goOn.SetResult();
        Assert.Equal(1, await Deadline.For(operation));
        Assert.Equal(0, await Deadline.For(stopped));
    }

    [Fact]
    public async Task TokenOfTheShutdown_CancelsWhatWaits_AndCountsIt()
    {
        NativeThreadPool pool = Pools.WithThreads(1);
        using var stop = new CancellationTokenSource();
        var armed = new TaskCompletionSource<Task>(TaskCreationOptions.RunContinuationsAsynchronously);
        var never = new TaskCompletionSource();
        _ = pool.Run(async () =>
        {
            armed.SetResult(pool.RunAfter(s_never, () => Assert.Fail("It ran.")));
            await never.Task;
        });
        Task task = await Deadline.For(armed.Task);
        Task<long> stopped = pool.ShutdownAsync(stop.Token);
        Assert.False(task.IsCompleted);
        stop.Cancel();
        Assert.Equal(1, await Deadline.For(stopped));
        Assert.Equal(stop.Token, (await Assert.ThrowsAsync<TaskCanceledException>(() => Deadline.For(task))).CancellationToken);
        never.SetResult();
    }

    [Fact]
    [Trait("Category", "Race")]
    public void CallsThatMeetShutdownAndToken_AllComplete()
    {
        foreach (int round in Soak.Repeat(60))
        {
            NativeThreadPool pool = Pools.WithThreads(2);
            using var cancellation = new CancellationTokenSource();
            using var stop = new CancellationTokenSource();
            var tasks = new List<Task>();
            int ran = 0;
            Race.Run(
                () =>
                {
                    for (int i = 0; i < 50; i++)
                    {
                        try
                        {
                            tasks.Add(pool.RunAfter(TimeSpan.FromMicroseconds(i * 3), () => { Interlocked.Increment(ref ran); }, cancellation.Token));
                        }
                        catch (ObjectDisposedException)
                        {
                            break;
                        }
                    }
                },
                () => pool.ShutdownAsync(stop.Token),
                () => (round % 2 == 0 ? stop : cancellation).Cancel());
            foreach (Task task in tasks)
            {
                Deadline.Until(() => task.IsCompleted, "a delayed call completes");
                Assert.True(task.Exception is null or { InnerException: ObjectDisposedException }, task.Exception?.ToString());
            }

            Assert.Equal(tasks.Count(static task => task.IsCompletedSuccessfully), ran);
            Deadline.Wait(pool.ShutdownAsync(CancellationToken.None));
            Deadline.Until(() => pool.Probe.CancelledSlots == 0, "no cancelled item is counted any more");
            Assert.Equal(0, PoolTimers.ArmedCount);
        }
    }

    [Fact]
    public void ArgumentsOutOfRange_Throw()
    {
        using NativeThreadPool pool = Pools.WithThreads(1);
        Action noAction = () => pool.RunAfter(s_soon, (Action)null!);
        Action noFunction = () => pool.RunAfter(s_soon, (Func<Task>)null!);
        Action negative = () => pool.RunAfter(TimeSpan.FromMilliseconds(-1), () => 1);
        Assert.Throws<ArgumentNullException>("action", noAction);
        Assert.Throws<ArgumentNullException>("function", noFunction);
        var error = Assert.Throws<ArgumentOutOfRangeException>("delay", negative);
        Assert.StartsWith("delay must be between 0 and 4294967294 ms, but was -00:00:00.0010000.", error.Message, StringComparison.Ordinal);
    }
}
