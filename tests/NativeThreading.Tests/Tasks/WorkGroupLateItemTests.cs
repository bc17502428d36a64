using NativeThreading.Tests.Limits;
using NativeThreading.Tests.Support;

namespace NativeThreading.Tests.Tasks;

/// <summary>
/// A worker that waits for its group has looked for items and sleeps. It looks again when there are more (T151): in these pools
/// no other worker could run them.
/// </summary>
public sealed class WorkGroupLateItemTests
{
    [Theory, CombinatorialBooleans]
    public void T151_RangeThatIsPublishedWhileTheOnlyWorkerWaits_RunsOnIt(bool timed)
    {
        using NativeThreadPool pool = Pools.WithThreads(1);
        var group = new WorkGroup(pool);
        var threads = new HashSet<int>();
        using var late = new LateRange(group, _ => threads.Add(Environment.CurrentManagedThreadId));
        using SleepingWaiter waiter = timed ? new(pool, group) : new(pool, () =>
        {
            group.Wait();
            return true;
        });
        Assert.Null(late.Publish());
        Assert.True(waiter.Result);
        Assert.Equal([waiter.Thread.ManagedThreadId], threads);
    }

    [Theory, CombinatorialBooleans]
    public void T151_ItemsThatAreQueuedWhileTheOnlyWorkerWaits_RunAtOnce(bool many)
    {
        using NativeThreadPool pool = Pools.WithThreads(1);
        var group = new WorkGroup(pool);
        using var late = new LateRange(group);
        using var waiter = new SleepingWaiter(pool, group);
        for (int round = 0; round < 3; round++)
        {
            int items = many ? 3 * LateRange.Items : 1;
            using var ran = new CountdownEvent(items);
            group.QueueRange(_ => ran.Signal(), new int[items]);
            Deadline.Wait(ran);
        }

        late.Publish();
        Assert.True(waiter.Result);
    }

    [Fact]
    public void T151_FromAWorkerOfAnotherPool_TheyRunAsWell()
    {
        using NativeThreadPool pool = Pools.WithThreads(1);
        using NativeThreadPool other = Pools.WithThreads(1, "other");
        var group = new WorkGroup(pool);
        using var late = new LateRange(group);
        using var waiter = new SleepingWaiter(pool, group);
        using var ran = new ManualResetEventSlim();
        other.OnWorker(() => group.Queue(_ => ran.Set(), 0));
        Deadline.Wait(ran);
        late.Publish();
        Assert.True(waiter.Result);
    }

    [Fact]
    public void T151_BehindASlotThatIsNotFilledYet_TheyAreFound()
    {
        using NativeThreadPool pool = Pools.WithThreads(1);
        var group = new WorkGroup(pool);
        using var late = new LateRange(group);
        using var waiter = new SleepingWaiter(pool, group);
        int filled = 0;
        Action fill = pool.Probe.ClaimSlots(() => filled++);
        using var ran = new ManualResetEventSlim();
        group.Queue(_ => ran.Set(), 0);
        Deadline.Wait(ran);
        fill();
        late.Publish();
        Assert.True(waiter.Result);
        pool.WaitUntilQuiet();
        Assert.NotEqual(0, filled);
    }

    [Fact]
    public void T151_NestedWait_TakesTheItemsOfItsOwnGroup()
    {
        using NativeThreadPool pool = Pools.WithThreads(1);
        var outer = new WorkGroup(pool);
        var inner = new WorkGroup(pool);
        var order = new List<string>();
        using var late = new LateRange(inner, number => order.Add(number == 0 ? "inner" : ""));
        using var waiter = new SleepingWaiter(pool, () =>
        {
            outer.Queue(
                _ =>
                {
                    Assert.True(inner.Wait(Deadline.Time / 2));
                    order.Add("end of inner");
                },
                0);
            return outer.Wait(Deadline.Time / 2);
        });
        outer.Queue(_ => order.Add("outer"), 0);
        Assert.Null(late.Publish());
        Assert.True(waiter.Result);
        Assert.Equal(["inner", "end of inner", "outer"], order.Where(static name => name.Length != 0));
    }

    [Theory, CombinatorialBooleans]
    public void T151_ItemsThatWaitForEachOther_GetAllWaiters(bool behindASlotThatIsNotFilled)
    {
        const int threads = 4;
        using NativeThreadPool pool = Pools.WithThreads(threads);
        var group = new WorkGroup(pool);
        using var meeting = new Barrier(threads);
        using var late = new LateRange(group, _ => Assert.True(meeting.SignalAndWait(Deadline.Time / 2)));
        SleepingWaiter[] waiters = [.. Enumerable.Range(0, threads).Select(_ => new SleepingWaiter(pool, group))];
        Action fill = behindASlotThatIsNotFilled ? pool.Probe.ClaimSlots(static () => { }) : static () => { };
        Assert.Null(late.Publish()); // wakes them all
        Assert.All(waiters, static waiter => Assert.True(waiter.Result));
        fill();
        Array.ForEach(waiters, static waiter => waiter.Dispose());
    }

    [Fact]
    public async Task T151_WaitersOfEveryKind_Return()
    {
        using NativeThreadPool pool = Pools.WithThreads(1);
        using NativeThreadPool other = Pools.WithThreads(1, "other");
        var group = new WorkGroup(pool);
        using var late = new LateRange(group);
        using var onPool = new SleepingWaiter(pool, group);
        using var onOther = new SleepingWaiter(other, group);
        Task outside = Task.Factory.StartNew(
            () => Assert.True(group.Wait(Deadline.Time / 2)), CancellationToken.None, TaskCreationOptions.LongRunning, TaskScheduler.Default);
        Task awaited = group.WaitAsync();
        var ran = new TaskCompletionSource<NativeThreadPool?>(TaskCreationOptions.RunContinuationsAsynchronously);
        group.Queue(_ => ran.SetResult(NativeThreadPool.Current), 0);
        Assert.Same(pool, await Deadline.For(ran.Task));
        Assert.False(awaited.IsCompleted || outside.IsCompleted);
        Assert.Null(late.Publish());
        Assert.True(onPool.Result && onOther.Result);
        await Deadline.For(Task.WhenAll(outside, awaited));
    }

    /// <summary>One that leaves, at its timeout or with an exception, at the very moment at which it is woken is in the races.</summary>
    [Theory, CombinatorialBooleans]
    public void T137_WhereOneWaiterHasLeft_TheOtherOneIsWoken(bool isInterrupted)
    {
        using NativeThreadPool pool = Pools.WithThreads(2);
        var group = new WorkGroup(pool);
        using var late = new LateRange(group);
        using var waiter = new SleepingWaiter(pool, group);
        using var left = new ManualResetEventSlim();
        using var release = new ManualResetEventSlim();
        using var leaving = new SleepingWaiter(pool, () =>
        {
            if (isInterrupted)
            {
                Assert.Throws<ThreadInterruptedException>(() => group.Wait(Deadline.Time));
            }
            else
            {
                Assert.False(group.Wait(TimeSpan.FromMilliseconds(200)));
            }

            left.Set();
            return release.Wait(Deadline.Time);
        });
        if (isInterrupted)
        {
            leaving.Thread.Interrupt();
        }

        Deadline.Wait(left);
        Assert.Null(late.Publish());
        Assert.True(waiter.Result);
        release.Set();
        Assert.True(leaving.Result);
    }

    [Fact]
    public void T151_QueueThatIsFull_IsEmptiedByTheWaiter()
    {
        // Each item needs the permit of the one before it: the waiter is woken for each.
        const int items = 5;
        using var release = new ManualResetEventSlim();
        using NativeThreadPool pool = Limited.Pool(1, QueueFullMode.Wait, threads: 2);
        var group = new WorkGroup(pool);
        using var blocked = new BlockedWorkers(pool, 1);
        using var started = new ManualResetEventSlim();
        using var queued = new ManualResetEventSlim();
        using var waiter = new Observation<bool>(() =>
        {
            started.Set();
            Deadline.Wait(queued);
            return group.Wait(Deadline.Time / 2);
        });
        pool.UnsafeQueueUserWorkItem(waiter.Observe, null);
        Deadline.Wait(started);
        pool.UnsafeQueueUserWorkItem(_ => Deadline.Wait(release), null); // holds the permit
        int ran = 0;
        var producer = new Thread(() => group.QueueRange(_ => ran++, new int[items])) { IsBackground = true };
        producer.UnsafeStart();
        Deadline.Until(() => pool.Probe.WaitingCallers == 1, "the first item waits for a permit");
        queued.Set();
        Deadline.Until(() => group.MayHaveSleepers);
        blocked.Release(); // that worker begins the item with the permit, and blocks in it
        Assert.True(waiter.Result);
        Assert.Equal(items, ran);
        Deadline.Join(producer);
        release.Set();
        pool.WaitUntilQuiet();
    }

    [Fact]
    public void Dispose_WaitsForTheWaiterAndWhatItRuns()
    {
        NativeThreadPool pool = Pools.WithThreads(1);
        var group = new WorkGroup(pool);
        int ran = 0;
        using var late = new LateRange(group, _ => ran++);
        using var waiter = new SleepingWaiter(pool, group);
        Task<long> ended = pool.ShutdownAsync(CancellationToken.None);
        Assert.Null(late.Publish());
        Assert.True(waiter.Result);
        Assert.Equal(0, Deadline.Result(ended));
        Assert.Equal(LateRange.Items, ran);
    }

    [Fact]
    public void Stop_EndsTheWaitOfAWorkerThatSleeps()
    {
        NativeThreadPool pool = Pools.WithThreads(1);
        var group = new WorkGroup(pool, WorkGroupErrors.All);
        int ran = 0;
        using var late = new LateRange(group, _ => Interlocked.Increment(ref ran)); // what the waiter is quick enough to take, or runs elsewhere
        int dropped = 0;
        using var waiter = new SleepingWaiter(pool, () =>
        {
            dropped = (Record.Exception(() => group.Wait()) as AggregateException)?.InnerExceptions.Count(static inner => inner is TaskCanceledException) ?? 0;
            return true;
        });
        Task<long> stopped = pool.ShutdownAsync(new CancellationToken(canceled: true));
        late.Publish();
        Assert.True(waiter.Result);
        Deadline.Wait(stopped);
        Assert.Equal((0, LateRange.Items), (group.PendingCount, ran + dropped));
    }
}
