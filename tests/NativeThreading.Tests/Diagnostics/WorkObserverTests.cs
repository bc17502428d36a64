using System.Collections.Concurrent;
using System.Diagnostics;
using NativeThreading.Tests.Support;

namespace NativeThreading.Tests.Diagnostics;

/// <summary>What an observer learns of groups, what listeners of the activity source learn, and what an observer must not disturb; ObserverContract has the rest.</summary>
public sealed class WorkObserverTests
{
    private static readonly string[] s_ways = ["group", "range"];

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
        var observer = new RecordingObserver();
        await using NativeThreadPool pool = With(observer, limit: limit);
        Start(pool, way, static () => { });
        await pool.ShutdownAsync(CancellationToken.None);
        Assert.Equal(way == "range" ? ["Queued", "Queued", "Started", "Completed", "Started", "Completed"] : ["Queued", "Started", "Completed"], observer.Stages);
        Assert.All(observer.Seen, work => Assert.Equal(("observed", (object?)null, observer.Seen[0].Work.Name), (work.Work.PoolName, work.Work.Key, work.Work.Name)));
        Assert.NotEqual("unknown", observer.Seen[0].Work.Name);
    }

    /// <summary>The worker may be there before the queueing thread has made its report.</summary>
    [Fact]
    public async Task WorkStarts_AfterTheReportThatItIsQueued_HasReturned()
    {
        var observer = new SlowReporter();
        await using NativeThreadPool pool = With(observer);
        for (int i = 0; i < 5; i++)
        {
            await Deadline.For(pool.Run(static () => { }));
        }

        Assert.False(observer.HasSeenAnEarlyStart);
    }

    [Theory]
    [MemberData(nameof(Ways))]
    public async Task WorkThatThrows_Fails(string way, int? limit)
    {
        var observer = new RecordingObserver();
        await using NativeThreadPool pool = With(observer, handled: true, limit);
        Start(pool, way, static () => throw new FormatException());
        await pool.ShutdownAsync(CancellationToken.None);
        Assert.Equal(way == "range" ? 2 : 1, observer.Stages.Count(static stage => stage == "Failed"));
        Assert.DoesNotContain("Completed", observer.Stages);
    }

    [Fact]
    public async Task TimesOfAnAsyncFunction_IncludeItsAwaits()
    {
        var observer = new RecordingObserver();
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
        await using NativeThreadPool pool = With(new RecordingObserver());
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
            case "run":
                pool.Run(body);
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
            default:
                new WorkGroup(pool).QueueRange<object?>(_ => body(), [null, null]);
                break;
        }
    }

    private static NativeThreadPool With(IWorkObserver observer, bool handled = false, int? limit = null) => new(new NativeThreadPoolOptions
    {
        Name = "observed",
        MaxThreads = 1,
        QueueLimit = limit,
        WorkObserver = observer,
        UnhandledException = handled ? static _ => true : null,
    });

    private sealed class Thrower : IWorkObserver
    {
        public void Started(in WorkInfo work) => throw new FormatException("at the start");
    }

    private sealed class SlowReporter : IWorkObserver
    {
        private int _starts;

        public bool HasSeenAnEarlyStart { get; private set; }

        public void Queued(in WorkInfo work)
        {
            int before = Volatile.Read(ref _starts);
            HasSeenAnEarlyStart |= SpinWait.SpinUntil(() => Volatile.Read(ref _starts) != before, 20); // for what must not come
        }

        public void Started(in WorkInfo work) => Interlocked.Increment(ref _starts);
    }
}
