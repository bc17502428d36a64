using NativeThreading.Tests.Support;

namespace NativeThreading.Tests.Tasks;

/// <summary>Items of a group with options: they are tasks, which can end before they start, and the group counts each once.</summary>
public sealed class WorkGroupOptionsTests
{
    private static readonly WorkOptions s_high = new() { Name = "high", Priority = WorkPriority.High };
    private readonly List<string> _log = [];

    /// <summary>A look of the monitor at the queue holds up one pick, so not every round has the whole order.</summary>
    [Theory, CombinatorialBooleans]
    public void HigherPrioritiesRunFirst(bool tries)
    {
        for (int round = 0; round < 10 && !_log.SequenceEqual(["High", "none", "Normal", "Low"]); round++)
        {
            _log.Clear();
            RunOneOfEachPriority(tries);
        }

        Assert.Equal(["High", "none", "Normal", "Low"], _log);
    }

    private void RunOneOfEachPriority(bool tries)
    {
        using NativeThreadPool pool = Create();
        var group = new WorkGroup(pool);
        using (new BlockedWorkers(pool, 1))
        {
            group.Queue(_log.Add, "none");
            foreach (WorkOptions options in new[] { new WorkOptions { Priority = WorkPriority.Low }, s_high, new WorkOptions { Name = "normal" } })
            {
                if (tries)
                {
                    Assert.True(group.TryQueue(_log.Add, $"{options.Priority}", options));
                }
                else
                {
                    group.Queue(_log.Add, $"{options.Priority}", options);
                }
            }

            Assert.Equal(4, group.PendingCount);
        }

        Assert.True(group.Wait(Deadline.Time));
        Assert.Equal(4, _log.Count);
        Assert.Equal(0, group.PendingCount);
    }

    [Theory]
    [InlineData(null)]
    [InlineData(1)]
    public void ItemThatExpiresOrIsCancelled_EndsAtOnce_AndIsAFailure(int? limit)
    {
        using NativeThreadPool pool = Create(limit);
        using var source = new CancellationTokenSource();
        var group = new WorkGroup(pool, WorkGroupErrors.All);
        using (new BlockedWorkers(pool, 1))
        {
            group.Queue(_log.Add, "expired", new WorkOptions { StartWithin = TimeSpan.Zero });
            Deadline.Until(() => group.PendingCount == 0);
            Assert.Equal(1, pool.ExpiredWorkItemCount);
            group.Queue(_log.Add, "cancelled", new WorkOptions { CancellationToken = source.Token }); // its place in the queue was free
            source.Cancel();
            Deadline.Until(() => group.PendingCount == 0);
            group.Queue(_log.Add, "too late", new WorkOptions { CancellationToken = source.Token });
            Assert.Equal(0, group.PendingCount);
            Assert.All(
                Assert.Throws<AggregateException>(() => group.Wait(Deadline.Time)).InnerExceptions, static exception => Assert.IsAssignableFrom<OperationCanceledException>(exception));
            Assert.True(group.Wait(TimeSpan.Zero)); // reported once
        }

        group.Queue(_log.Add, "ran", s_high);
        Assert.True(group.Wait(Deadline.Time));
        Assert.Equal(["ran"], _log);
    }

    [Fact]
    public void WhatAnItemThrows_ComesToTheWaiter_AsItWasThrown()
    {
        using NativeThreadPool pool = Create();
        var group = new WorkGroup(pool);
        group.Queue(static text => throw new FormatException(text), "thrown", s_high);
        var exception = Assert.Throws<FormatException>(() => group.Wait(Deadline.Time));
        Assert.Equal("thrown", exception.Message);
        Assert.Contains(nameof(WhatAnItemThrows_ComesToTheWaiter_AsItWasThrown), exception.StackTrace, StringComparison.Ordinal);
    }

    /// <summary>No other thread may run them: the waiter does, whatever their priority.</summary>
    [Theory]
    [InlineData(null)]
    [InlineData(1)]
    public void WorkerThatWaits_RunsItsItems_WhichNeedNoPermit(int? limit)
    {
        using NativeThreadPool pool = Create(limit);
        var group = new WorkGroup(pool);
        Task waits = pool.Run(() =>
        {
            foreach (WorkPriority priority in Enum.GetValues<WorkPriority>())
            {
                group.Queue(_log.Add, $"{priority}", new WorkOptions { Name = "inner", Priority = priority, StartWithin = TimeSpan.FromDays(1) });
                Assert.True(group.TryQueue(_log.Add, $"{priority}", new WorkOptions { Name = "inner", Priority = priority }));
            }

            group.Wait();
        });
        Deadline.Wait(waits);
        Assert.Equal(6, _log.Count);
    }

    [Theory]
    [InlineData(QueueFullMode.Reject)]
    [InlineData(QueueFullMode.Wait)]
    [InlineData(QueueFullMode.RunOnCaller)]
    public void FullQueue_TreatsThemAsOthers(QueueFullMode mode)
    {
        using NativeThreadPool pool = Create(1, mode);
        var group = new WorkGroup(pool);
        var blocked = new BlockedWorkers(pool, 1);
        Assert.True(group.TryQueue(_log.Add, "first", s_high));
        Assert.False(group.TryQueue(_log.Add, "never", s_high));
        switch (mode)
        {
            case QueueFullMode.Reject:
                Assert.Throws<QueueFullException>(() => group.Queue(_log.Add, "never", s_high));
                break;
            case QueueFullMode.RunOnCaller:
                group.Queue(_log.Add, "caller", s_high);
                Assert.Equal(["caller"], _log);
                break;
            default:
                using (var source = new CancellationTokenSource())
                {
                    var caller = new Thread(() => group.Queue(_log.Add, "never", new WorkOptions { CancellationToken = source.Token }));
                    caller.Start();
                    Deadline.Until(() => pool.Probe.WaitingCallers == 1);
                    source.Cancel(); // it leaves the list, and the caller continues
                    Deadline.Join(caller);
                    Deadline.Until(() => group.PendingCount == 1);
                }

                break;
        }

        Assert.Equal(1, group.PendingCount);
        blocked.Dispose();
        if (mode == QueueFullMode.Wait)
        {
            Assert.ThrowsAny<OperationCanceledException>(() => group.Wait(Deadline.Time));
        }
        else
        {
            Assert.True(group.Wait(Deadline.Time));
        }

        Assert.Equal("first", _log[^1]);
    }

    [Fact]
    public void StopByToken_CountsThem_AndTheWaiterLearns()
    {
        NativeThreadPool pool = Create();
        var group = new WorkGroup(pool);
        using (new BlockedWorkers(pool, 1))
        {
            group.Queue(_log.Add, "dropped", s_high);
            group.Queue(_log.Add, "dropped", new WorkOptions { Name = "limited", StartWithin = TimeSpan.FromDays(1) });
            Assert.Equal(2, Deadline.Result(pool.ShutdownAsync(new CancellationToken(canceled: true))));
            Assert.ThrowsAny<OperationCanceledException>(() => group.Wait(Deadline.Time));
            Assert.Throws<ObjectDisposedException>(() => group.Queue(_log.Add, "late", s_high));
            Assert.Throws<ObjectDisposedException>(() => group.TryQueue(_log.Add, "late", s_high));
            Assert.Equal(0, group.PendingCount);
        }

        Assert.Empty(_log);
    }

    [Fact]
    public void DrainAndPause_TreatThemAsOthers()
    {
        NativeThreadPool pool = Create();
        var group = new WorkGroup(pool);
        pool.Pause();
        group.Queue(_log.Add, "held", s_high);
        Assert.False(group.Wait(TimeSpan.Zero));
        Assert.Equal(0, Deadline.Result(pool.ShutdownAsync(CancellationToken.None)));
        Assert.True(group.Wait(Deadline.Time));
        Assert.Equal(["held"], _log);
    }

    [Fact]
    public void GroupOfResults_HasThemToo()
    {
        using NativeThreadPool pool = Create(2);
        var group = new WorkGroup<int>(pool);
        using (new BlockedWorkers(pool, 1))
        {
            group.Queue(static text => text.Length, "one", new WorkOptions { Priority = WorkPriority.Low });
            Assert.True(group.TryQueue(static text => text.Length, "three", s_high));
            Assert.False(group.TryQueue(static text => text.Length, "full", s_high));
        }

        Assert.Equal([3, 5], group.Wait());
        group.Queue(static text => text.Length, "one", new WorkOptions { CancellationToken = new CancellationToken(canceled: true) });
        Assert.ThrowsAny<OperationCanceledException>(() => group.Wait());
        Assert.Empty(group.Wait());
    }

    [Fact]
    public void BadArguments_AreRefused()
    {
        using NativeThreadPool pool = Create();
        var group = new WorkGroup(pool);
        Assert.Throws<ArgumentNullException>("callback", () => group.Queue<int>(null!, 0, s_high));
        Assert.Throws<ArgumentNullException>("callback", () => group.TryQueue<int>(null!, 0, s_high));
        Assert.Throws<ArgumentOutOfRangeException>("Priority", () => group.Queue(static _ => { }, 0, new WorkOptions { Priority = (WorkPriority)7 }));
        Assert.Throws<ArgumentOutOfRangeException>("StartWithin", () => group.TryQueue(static _ => { }, 0, new WorkOptions { StartWithin = TimeSpan.FromTicks(-1) }));
        Assert.Equal(0, group.PendingCount);
    }

    private static NativeThreadPool Create(int? limit = null, QueueFullMode mode = QueueFullMode.Reject) => new(new NativeThreadPoolOptions
    {
        MaxThreads = 1,
        MaxBlockedThreads = 0,
        MaxRescueThreads = 0,
        QueueLimit = limit,
        QueueFullMode = mode,
    });
}
