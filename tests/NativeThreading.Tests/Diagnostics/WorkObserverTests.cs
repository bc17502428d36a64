using System.Collections.Concurrent;
using System.Diagnostics;
using NativeThreading.Tests.Support;

namespace NativeThreading.Tests.Diagnostics;

/// <summary>What an observer of the options and listeners of the activity source learn of a pool's work.</summary>
public sealed class WorkObserverTests
{
    private static readonly string[] s_ways = ["raw", "unsafe", "run", "function", "operation", "async", "group", "range", "keyed", "keyed callback", "options", "later", "later with options", "every", "scheduler"];

    /// <summary>Each way, in a pool without a limit and in one with a limit.</summary>
    public static TheoryData<string, int?> Ways
    {
        get
        {
            var ways = new TheoryData<string, int?>();
            foreach (string way in s_ways)
            {
                ways.Add(way, null);
                ways.Add(way, 10);
            }

            return ways;
        }
    }

    [Theory]
    [MemberData(nameof(Ways))]
    public async Task EachPieceOfWork_IsQueued_Starts_AndCompletes_Once(string way, int? limit)
    {
        var observer = new Recorder();
        await using NativeThreadPool pool = With(observer, limit: limit);
        Start(pool, way, static () => { });
        await pool.ShutdownAsync(CancellationToken.None);
        Assert.Equal(way == "range" ? ["Queued", "Queued", "Started", "Completed", "Started", "Completed"] : ["Queued", "Started", "Completed"], observer.Stages);
        Assert.All(observer.Seen, work => Assert.Equal(("observed", way.StartsWith("keyed", StringComparison.Ordinal) ? "key" : null), (work.Work.PoolName, work.Work.Key)));
        Assert.All(observer.Seen, work => Assert.Equal(way == "options" ? ("named", WorkPriority.High) : (observer.Seen[0].Work.Name, way == "later with options" ? WorkPriority.Low : WorkPriority.Normal), (work.Work.Name, work.Work.Priority)));
        Assert.NotEqual("unknown", observer.Seen[0].Work.Name);
    }

    [Theory]
    [MemberData(nameof(Ways))]
    public async Task WorkThatThrows_Fails(string way, int? limit)
    {
        var observer = new Recorder();
        await using NativeThreadPool pool = With(observer, handled: true, limit);
        Start(pool, way, static () => throw new FormatException());
        await pool.ShutdownAsync(CancellationToken.None);
        Assert.Equal(way == "range" ? 2 : 1, observer.Stages.Count(static stage => stage == "Failed"));
        Assert.DoesNotContain("Completed", observer.Stages);
    }

    [Fact]
    public async Task WorkThatExpiresOrIsCancelled_IsToldSo_Once()
    {
        var observer = new Recorder();
        await using NativeThreadPool pool = With(observer);
        using var cancelled = new CancellationTokenSource();
        Task expires, isCancelled, operation;
        using (new BlockedWorkers(pool, 1))
        {
            expires = pool.Run(static () => { }, new WorkOptions { Name = "late", StartWithin = TimeSpan.Zero });
            isCancelled = pool.Run(static () => { }, cancelled.Token);
            operation = pool.Run(static () => Task.CompletedTask, cancelled.Token);
            await cancelled.CancelAsync();
            await Deadline.For(Task.WhenAny(expires));
        }

        await pool.ShutdownAsync(CancellationToken.None);
        Assert.Equal(["late"], observer.Seen.Where(static seen => seen.Stage == "Expired").Select(static seen => seen.Work.Name));
        Assert.Equal(2, observer.Stages.Count(static stage => stage == "Cancelled"));
        Assert.True(expires.IsCanceled && isCancelled.IsCanceled && operation.IsCanceled);
    }

    [Fact]
    public async Task ItemsThatAStopDrops_AreCancelled()
    {
        var observer = new Recorder();
        await using NativeThreadPool pool = With(observer);
        using (new BlockedWorkers(pool, 1))
        {
            pool.QueueUserWorkItem(static _ => { });
            Assert.Equal(1, await Deadline.For(pool.ShutdownAsync(new CancellationToken(canceled: true))));
        }

        Assert.Equal(1, observer.Stages.Count(static stage => stage == "Cancelled"));
    }

    [Fact]
    public async Task ACallThatAKeysLimitRejects_IsNotObserved()
    {
        var observer = new Recorder();
        await using NativeThreadPool pool = With(observer);
        var queue = new KeyedQueue<string>(pool, limitPerKey: 1);
        using (new BlockedWorkers(pool, 1))
        {
            Assert.True(queue.TryQueue("key", static _ => { }, 0));
            Assert.False(queue.TryQueue("key", static _ => { }, 0));
        }

        await pool.ShutdownAsync(CancellationToken.None);
        Assert.Equal(1, observer.Seen.Count(static seen => seen.Stage == "Queued" && seen.Work.Key is not null));
    }

    [Fact]
    public async Task TimesOfAnAsyncFunction_IncludeItsAwaits()
    {
        var observer = new Recorder();
        await using NativeThreadPool pool = With(observer);
        var gate = new TaskCompletionSource();
        Task run = pool.Run(() => gate.Task);
        Deadline.Until(() => observer.Stages.Contains("Started"), "it has started");
        long started = Stopwatch.GetTimestamp();
        while (Stopwatch.GetElapsedTime(started) < TimeSpan.FromMilliseconds(2))
        {
            Thread.Yield();
        }

        gate.SetResult();
        await Deadline.For(run);
        Deadline.Until(() => observer.Stages.Contains("Completed"), "it has completed");
        Assert.True(observer.Seen[^1].Work.Duration >= TimeSpan.FromMilliseconds(2));
    }

    [Fact]
    public async Task ObserverThatThrows_IsReported_AndTheWorkRuns()
    {
        using var log = new EventLog();
        await using NativeThreadPool pool = With(new Thrower());
        Assert.Equal(1, await Deadline.For(pool.Run(static () => 1)));
        log.WaitFor("ListenerFailed", pool.Name);
    }

    [Fact]
    public async Task UnobservedFailures_AreStillUnobserved()
    {
        await using NativeThreadPool pool = With(new Recorder());
        Task failed = pool.Run(static () => throw new FormatException());
        await Deadline.For(Task.WhenAny(failed));
        Assert.IsType<FormatException>(failed.Exception!.InnerException);
    }

    [Theory]
    [InlineData("raw")]
    [InlineData("run")]
    [InlineData("async")]
    public async Task Spans_AreChildrenOfTheAmbientActivity_AndParentsOfThoseOfTheWork(string way)
    {
        var ended = new ConcurrentQueue<Activity>();
        using var source = new ActivitySource("test");
        using var listener = new ActivityListener
        {
            ShouldListenTo = static source => source.Name is "NativeThreading" or "test",
            Sample = static (ref ActivityCreationOptions<ActivityContext> _) => ActivitySamplingResult.AllDataAndRecorded,
            ActivityStopped = ended.Enqueue,
        };
        ActivitySource.AddActivityListener(listener);
        await using var pool = new NativeThreadPool(new NativeThreadPoolOptions { Name = "traced", MaxThreads = 1, TraceItems = true });
        string? root;
        using (Activity ambient = source.StartActivity("ambient")!)
        {
            root = ambient.Id;
            Start(pool, way, () => source.StartActivity("inner")!.Dispose());
        }

        await pool.ShutdownAsync(CancellationToken.None);
        Activity[] spans = [.. ended.Where(static span => span.Source.Name == "NativeThreading")];
        Assert.Equal(2, spans.Length);
        Assert.All(spans, span => Assert.Equal((root, "traced"), (span.ParentId, span.GetTagItem("native_threading.pool.name"))));
        Assert.StartsWith("wait ", spans[0].OperationName, StringComparison.Ordinal);
        Assert.Equal(spans[1].Id, ended.Single(static span => span.OperationName == "inner").ParentId);
    }

    [Fact]
    public async Task WithoutAListener_NothingIsMade()
    {
        await using var pool = new NativeThreadPool(new NativeThreadPoolOptions { MaxThreads = 1, TraceItems = true });
        Assert.Null(await Deadline.For(pool.Run(static () => Activity.Current)));
    }

    private static void Start(NativeThreadPool pool, string way, Action body)
    {
        switch (way)
        {
            case "raw":
                pool.QueueUserWorkItem(_ => body());
                break;
            case "unsafe":
                pool.UnsafeQueueUserWorkItem(static body => body(), body, preferLocal: false);
                break;
            case "run":
                pool.Run(body);
                break;
            case "function":
                pool.Run(() =>
                {
                    body();
                    return 1;
                });
                break;
            case "operation":
                pool.Run(() =>
                {
                    body();
                    return Task.CompletedTask;
                });
                break;
            case "async":
                pool.Run(async () =>
                {
                    await Task.Yield();
                    body();
                });
                break;
            case "group":
                new WorkGroup(pool).Queue<object?>(_ => body(), null);
                break;
            case "range":
                new WorkGroup(pool).QueueRange<object?>(_ => body(), [null, null]);
                break;
            case "keyed":
                new KeyedQueue<string>(pool).Run("key", body);
                break;
            case "keyed callback":
                new KeyedQueue<string>(pool).Queue("key", static body => body(), body);
                break;
            case "options":
                pool.Run(body, new WorkOptions { Name = "named", Priority = WorkPriority.High });
                break;
            case "later":
                Ended(pool.RunAfter(TimeSpan.Zero, body));
                break;
            case "later with options":
                Ended(pool.WithOptions(new WorkOptions { Priority = WorkPriority.Low }).RunAfter(TimeSpan.Zero, body));
                break;
            case "every":
                using (var end = new CancellationTokenSource())
                {
                    // The first run ends the series.
                    Ended(pool.RunEvery(TimeSpan.FromMilliseconds(1), () =>
                    {
                        end.Cancel();
                        body();
                    }, end.Token));
                }

                break;
            default:
                pool.Factory.StartNew(body);
                break;
        }
    }

    private static void Ended(Task task) => Deadline.Wait(Task.WhenAny(task));

    private static NativeThreadPool With(IWorkObserver observer, bool handled = false, int? limit = null) => new(new NativeThreadPoolOptions
    {
        Name = "observed",
        MaxThreads = 1,
        QueueLimit = limit,
        WorkObserver = observer,
        UnhandledException = handled ? static _ => true : null,
    });

    private sealed class Recorder : IWorkObserver
    {
        private readonly ConcurrentQueue<(string, WorkInfo)> _seen = new();

        public (string Stage, WorkInfo Work)[] Seen => [.. _seen];

        public string[] Stages => [.. _seen.Select(static seen => seen.Item1)];

        public void Queued(in WorkInfo work) => _seen.Enqueue(("Queued", work));

        public void Started(in WorkInfo work) => _seen.Enqueue(("Started", work));

        public void Completed(in WorkInfo work) => _seen.Enqueue(("Completed", work));

        public void Failed(in WorkInfo work) => _seen.Enqueue(("Failed", work));

        public void Expired(in WorkInfo work) => _seen.Enqueue(("Expired", work));

        public void Cancelled(in WorkInfo work) => _seen.Enqueue(("Cancelled", work));
    }

    private sealed class Thrower : IWorkObserver
    {
        public void Started(in WorkInfo work) => throw new FormatException("at the start");
    }
}
