using System.Threading.Channels;
using NativeThreading.Diagnostics;
using NativeThreading.Tests.Support;

namespace NativeThreading.Tests.Starvation;

/// <summary>A pool at its limit whose threads all wait for work of the same pool: that work runs on rescue threads, and nothing else does.</summary>
public sealed class RescueTests : StarvationTest
{
    private const int Items = 12;
    private const int Limit = 4;

    /// <summary>Late enough that a thread waits by then.</summary>
    private static readonly TimeSpan Later = TimeSpan.FromMilliseconds(50);

    private readonly ManualResetEventSlim _all = new();
    private int _started;

    public static TheoryData<string> Forms =>
    [
        "task", "operation", "switch", "continue with", "continuation call", "local item", "global item", "local task", "group", "channel", "yield",
    ];

    [Theory]
    [MemberData(nameof(Forms))]
    public void AllThreadsWaitForWorkOfThePool_AtTheLimit_ItRuns(string form)
    {
        using var meter = new PoolMeter("starve");
        NativeThreadPool pool = NewPool(1, static options => options.MaxBlockedThreads = Limit);
        Task[] items = [.. Enumerable.Range(0, Items).Select(_ => Begin(pool, form))];
        Deadline.Until(() => Volatile.Read(ref _started) == 1 + Limit, "each thread is in an item");
        _all.Set();
        Deadline.Wait(Task.WhenAll(items), $"{Items} times {form}");
        Assert.True(meter["thread.rescued"] > 0);
        Deadline.Until(() => pool.RescueThreadCount == 0, "rescue threads go");
        Deadline.Until(() => pool.ThreadCount <= 1 + Limit);
    }

    [Theory]
    [InlineData(QueueFullMode.Wait)]
    [InlineData(QueueFullMode.RunOnCaller)]
    public void QueueWithALimit_CallersWaitOrRun_AndContinuationsAreRescued(QueueFullMode mode)
    {
        NativeThreadPool pool = NewPool(1, options => (options.MaxBlockedThreads, options.QueueLimit, options.QueueFullMode) = (Limit, 3, mode));
        Task[] items = [.. Enumerable.Range(0, Items).Select(_ => pool.RunAsync(() => Deadline.Wait(InnerAsync())))];
        Deadline.Wait(Task.WhenAll(items), "each call");
        Assert.Equal(0, pool.Probe.HeldPermits);
    }

    [Fact]
    public void Rescue_RunsWhatContinues_AndNothingThatBegins()
    {
        NativeThreadPool pool = NewPool(1, static options => options.MaxBlockedThreads = 1);
        var wrong = new List<string>();
        var rescued = new List<string>();
        Task[] items = [.. Enumerable.Range(0, Items).Select(_ => pool.Run(() =>
        {
            Note(wrong);
            Deadline.Wait(OuterAsync());
        }))];
        Task[] others = [.. Enumerable.Range(0, Items).Select(_ => Task.Run(async () =>
        {
            await pool.SwitchTo();
            Note(wrong);
        }))];
        Task[] operations = [.. Enumerable.Range(0, Items).Select(_ => pool.Run(() =>
        {
            Note(wrong);
            return Task.CompletedTask;
        }))];
        Deadline.Wait(Task.WhenAll([.. items, .. others, .. operations]));
        Assert.Empty(wrong);
        Assert.NotEmpty(rescued);

        async Task OuterAsync()
        {
            await Task.Delay(1);
            Note(rescued);
        }

        static void Note(List<string> names)
        {
            if (Thread.CurrentThread.Name!.StartsWith("starve-rescue-", StringComparison.Ordinal))
            {
                lock (names)
                {
                    names.Add(Thread.CurrentThread.Name);
                }
            }
        }
    }

    [Theory]
    [InlineData(2)]
    [InlineData(3)]
    [InlineData(4)]
    public void ContinuationsThatBlock_AreRescuedInTheirTurn(int levels)
    {
        NativeThreadPool pool = NewPool(2, static options => (options.MaxBlockedThreads, options.MaxRescueThreads) = (8, 100));
        Task[] items = [.. Enumerable.Range(0, 30).Select(_ => pool.Run(() => Deadline.Wait(LevelAsync(levels))))];
        Deadline.Wait(Task.WhenAll(items), $"{levels} levels");

        static async Task LevelAsync(int levels)
        {
            await Task.Delay(1);
            if (levels > 1)
            {
                Deadline.Wait(LevelAsync(levels - 1));
            }
        }
    }

    [Fact]
    public void ManyContinuationsThatBlock_GetThreadsInAFewLooks()
    {
        const int blocked = 60;
        NativeThreadPool pool = NewPool(1, static options => (options.MaxBlockedThreads, options.MaxRescueThreads) = (1, 2 * blocked)); // half for the first generation
        using var block = new BlockedWorkers(pool, 2);
        using var release = new ManualResetEventSlim();
        using var all = new CountdownEvent(blocked);
        using var left = new CountdownEvent(blocked);
        for (int i = 0; i < blocked; i++)
        {
            pool.UnsafeQueueContinuation(
                _ =>
                {
                    all.Signal();
                    release.Wait(Deadline.Time);
                    left.Signal();
                },
                (object?)null,
                preferLocal: false);
        }

        Deadline.Wait(all);
        Assert.InRange(pool.RescueThreadCount, blocked, 2 * blocked);
        Assert.InRange(pool.ThreadCount, 2 + blocked, 2 + (2 * blocked));
        Assert.InRange(pool.BlockedThreadCount, 3, 2 + blocked); // rescue threads among them: the last ones are not proven, for nothing waits any more
        release.Set();
        Deadline.Wait(left);
    }

    [Fact]
    public void WorkThatContinues_IsFoundBehindAMillionItemsFromOutside()
    {
        const int others = 1_000_000;
        NativeThreadPool pool = NewPool(1, static options => options.MaxBlockedThreads = 1);
        var done = new TaskCompletionSource();
        var continued = new TaskCompletionSource();
        Task[] blocked = [.. Enumerable.Range(0, 2).Select(_ => pool.Run(() => Deadline.Wait(OuterAsync())))];
        Deadline.Until(() => pool.BlockedThreadCount == 2 || pool.PendingWorkItemCount == 0 && pool.ThreadCount == 2);
        int ran = 0;
        for (int i = 0; i < others; i++)
        {
            pool.UnsafeQueueUserWorkItem(_ => ran++, null);
        }

        Assert.Equal(others, pool.PendingWorkItemCount);
        ThreadPool.UnsafeQueueUserWorkItem(static done => done.SetResult(), done, preferLocal: false);
        Deadline.Wait(continued.Task);
        Deadline.Wait(Task.WhenAll(blocked));

        async Task OuterAsync()
        {
            await done.Task;
            continued.TrySetResult();
        }
    }

    [Theory]
    [InlineData(0, null)]
    [InlineData(0, 5)]
    [InlineData(1, 0)]
    public void NoRescueThreadsAreAllowed_TheDeadlockIsSaidOnce(int maxBlocked, int? maxRescue)
    {
        using var log = new EventLog();
        string name = $"none-{maxBlocked}-{maxRescue}";
        NativeThreadPool pool = NewPool(1, options => (options.Name, options.MaxBlockedThreads, options.MaxRescueThreads) = (name, maxBlocked, maxRescue));
        Assert.Equal(0, pool.MaxRescueThreads);
        var done = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        using var giveUp = new ManualResetEventSlim();
        using var left = new CountdownEvent(maxBlocked + 1);
        for (int i = 0; i <= maxBlocked; i++)
        {
            pool.UnsafeQueueUserWorkItem(
                _ =>
                {
                    giveUp.Wait(Deadline.Time);
                    left.Signal();
                },
                null);
        }

        try
        {
            using var ran = new ManualResetEventSlim();
            pool.UnsafeQueueContinuation(static ran => ran.Set(), ran, preferLocal: false);
            object?[] payload = [.. log.WaitFor("RescueLimitReached", name).Payload!];
            Assert.Equal([name, maxBlocked + 1, maxBlocked, 0], payload);
            AwaitLooks(pool, 10);
            Assert.False(ran.IsSet);
            Assert.Equal(0, pool.RescueThreadCount);
            Assert.Single(log.Of("RescueLimitReached", name));
            Assert.Empty(log.Of("RescueStarted", name));
            giveUp.Set();
            Deadline.Wait(ran);
        }
        finally
        {
            giveUp.Set();
        }

        Deadline.Wait(left);
    }

    [Fact]
    public void RescueThreadsThatAreAllBlocked_LeaveHalfOfTheRestToLaterItems_AndTheBoundIsSaidOnce()
    {
        const int bound = 4;
        const int first = 6;
        using var log = new EventLog();
        NativeThreadPool pool = NewPool(1, static options => (options.Name, options.MaxBlockedThreads, options.MaxRescueThreads) = ("bound", 1, bound));
        using var block = new BlockedWorkers(pool, 2);
        using var release = new ManualResetEventSlim();
        using var left = new CountdownEvent(first + 3);
        int started = 0;
        for (int i = 0; i < first; i++)
        {
            Queue();
        }

        object?[] payload = [.. log.WaitFor("RescueLimitReached", "bound").Payload!];
        Assert.Equal(["bound", 2 + 2, 1, bound], payload);
        AwaitLooks(pool, 20);
        Assert.Equal(2, started);
        for (int later = 3; later <= bound; later++)
        {
            Queue();
            Deadline.Until(() => Volatile.Read(ref started) == later);
        }

        Queue();
        AwaitLooks(pool, 20);
        Assert.Equal((2 + bound, bound, bound), (pool.ThreadCount, pool.RescueThreadCount, started));
        Assert.Single(log.Of("RescueLimitReached", "bound"));
        Assert.Single(log.Of("RescueStarted", "bound"));
        release.Set();
        Deadline.Wait(left);

        void Queue() => pool.UnsafeQueueContinuation(
            _ =>
            {
                Interlocked.Increment(ref started);
                release.Wait(Deadline.Time);
                left.Signal();
            },
            (object?)null,
            preferLocal: false);
    }

    [Fact]
    public void ObserverSeesRescueThreads()
    {
        NativeThreadPool pool = NewPool(1, static options => (options.Name, options.MaxBlockedThreads) = ("seen", 1));
        using var block = new BlockedWorkers(pool, 2);
        using var began = new ManualResetEventSlim();
        using var release = new ManualResetEventSlim();
        using var ended = new ManualResetEventSlim();
        pool.UnsafeQueueContinuation(
            _ =>
            {
                began.Set();
                release.Wait(Deadline.Time);
                ended.Set();
            },
            (object?)null,
            preferLocal: false);
        Deadline.Wait(began);
        using var observer = new ThreadObserver();
        PoolSnapshot snapshot = observer.TakeSnapshot().Pools.Single(static pool => pool.Name == "seen");
        Assert.Equal((1, 1), (snapshot.MaxRescueThreads, snapshot.RescueThreadCount));
        Assert.Equal("seen-rescue-2", snapshot.Workers.Single(static worker => worker.IsRescue).Name);
        release.Set();
        Deadline.Wait(ended); // it uses what is disposed of here
        Deadline.Until(() => observer.TakeSnapshot().Pools.Single(static pool => pool.Name == "seen").RescueCount >= 1);
    }

    [Fact]
    public void ContinuationThatThrows_LeavesTheRescueThreadToTheNext()
    {
        int handled = 0;
        NativeThreadPool pool = NewPool(1, options => (options.MaxBlockedThreads, options.UnhandledException) = (1, _ => Interlocked.Increment(ref handled) > 0));
        using var block = new BlockedWorkers(pool, 2);
        using var ran = new CountdownEvent(10);
        for (int i = 0; i < 10; i++)
        {
            pool.UnsafeQueueContinuation(
                static ran =>
                {
                    ran.Signal();
                    throw new InvalidOperationException();
                },
                ran,
                preferLocal: false);
        }

        Deadline.Wait(ran);
        Deadline.Until(() => Volatile.Read(ref handled) == 10);
        Assert.Equal(1, pool.RescueThreadCount);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void Shutdown_WhileThePoolIsRescued_Ends(bool byToken)
    {
        for (int round = 0; round < 3; round++)
        {
            var pool = new NativeThreadPool(new NativeThreadPoolOptions { Name = "ends", MaxThreads = 1, MaxBlockedThreads = 1 });
            Task[] items = [.. Enumerable.Range(0, 8).Select(_ => pool.Run(() => Deadline.Wait(InnerAsync())))];
            Deadline.Until(() => pool.RescueThreadCount != 0);
            using var token = new CancellationTokenSource();
            Task<long> stopped = pool.ShutdownAsync(token.Token);
            if (byToken)
            {
                token.Cancel();
            }

            Deadline.Wait(stopped);
            Deadline.Wait(Task.WhenAll(items).ContinueWith(static _ => { }, TaskScheduler.Default), "no item hangs");
            Deadline.Until(() => pool.ThreadCount == 0, "its threads end");
            Assert.Equal(0, pool.RescueThreadCount);
        }
    }

    [Fact]
    public void Dispose_InARescuedItem_BeginsTheShutdown()
    {
        var pool = new NativeThreadPool(new NativeThreadPoolOptions { Name = "ends", MaxThreads = 1, MaxBlockedThreads = 1 });
        Task[] items = [.. Enumerable.Range(0, 6).Select(_ => pool.Run(() => Deadline.Wait(DisposingAsync())))];
        Deadline.Wait(Task.WhenAll(items));
        Deadline.Until(() => pool.ThreadCount == 0, "its threads end");

        async Task DisposingAsync()
        {
            await Task.Delay(1);
            pool.Dispose();
        }
    }

    [Fact]
    public void WorkThatRescueThreadsQueue_IsLeftToWorkersThatRunAgain()
    {
        const int queued = 200;
        NativeThreadPool pool = NewPool(1, static options => options.MaxBlockedThreads = 1);
        var block = new BlockedWorkers(pool, 2);
        using var ran = new CountdownEvent(queued);
        pool.UnsafeQueueContinuation(
            _ =>
            {
                for (int i = 0; i < queued; i++)
                {
                    pool.UnsafeQueueUserWorkItem(static ran => ran.Signal(), ran, preferLocal: i % 2 == 0);
                }

                block.Dispose(); // from here on the pool's own threads run
            },
            (object?)null,
            preferLocal: false);
        Deadline.Wait(ran);
    }

    private Task Begin(NativeThreadPool pool, string form) => form switch
    {
        "task" => pool.Run(() => Block(InnerAsync)),
        "operation" => pool.Run(() =>
        {
            Block(InnerAsync);
            return Task.CompletedTask;
        }),
        "switch" => Task.Run(async () =>
        {
            await pool.SwitchTo();
            Block(InnerAsync);
        }),
        "continue with" => pool.Run(() => Block(static () => Task.Delay(Later).ContinueWith(static _ => { }, TaskScheduler.Current))),
        "channel" => pool.Run(() => Block(ReadAsync)),
        "yield" => pool.Run(() => Block(YieldAsync)),
        _ => Blocking(pool, form),
    };

    /// <summary>When each thread of the pool has started an item, blocks for a task of this pool.</summary>
    private void Block(Func<Task> begin)
    {
        Interlocked.Increment(ref _started);
        Deadline.Wait(_all);
        Deadline.Wait(begin());
    }

    /// <summary>A raw item that waits for another item, of its own or from outside.</summary>
    private Task Blocking(NativeThreadPool pool, string form)
    {
        var ended = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        pool.UnsafeQueueUserWorkItem(
            _ =>
            {
                Block(() =>
                {
                    var ran = new TaskCompletionSource();
                    switch (form)
                    {
                        case "continuation call":
                            ThreadPool.UnsafeQueueUserWorkItem(_ => pool.UnsafeQueueContinuation(static ran => ran.SetResult(), ran, preferLocal: false), null);
                            break;
                        case "local task":
                            pool.Factory.StartNew(ran.SetResult);
                            break;
                        case "group":
                            new WorkGroup(pool).Queue(static ran => ran.SetResult(), ran);
                            break;
                        default:
                            pool.UnsafeQueueUserWorkItem(static ran => ran.SetResult(), ran, preferLocal: form == "local item");
                            break;
                    }

                    return ran.Task;
                });
                ended.SetResult();
            },
            null);
        return ended.Task;
    }

    private static async Task<int> InnerAsync()
    {
        await Task.Delay(Later);
        return 1;
    }

    private static async Task YieldAsync()
    {
        await Task.Yield();
        await Task.Yield();
    }

    private static async Task ReadAsync()
    {
        var channel = Channel.CreateUnbounded<int>();
        _ = Task.Delay(Later).ContinueWith(_ => channel.Writer.TryWrite(1), TaskScheduler.Default);
        await channel.Reader.ReadAsync();
    }
}
