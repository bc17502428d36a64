using System.Diagnostics.Metrics;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;
using NativeThreading.Diagnostics;
using NativeThreading.Hosting.Tests.Support;

namespace NativeThreading.Hosting.Tests.Conditions;

/// <summary>Each condition, brought about by a program, in the words that the page, health checks and the log have.</summary>
public sealed class ConditionTests
{
    [Fact]
    public async Task AHealthyProcess_HasNoVerdict()
    {
        await using TestHost host = await StartAsync("calm", options => options.MaxThreads = 2);
        await Deadline.For(host.Pool("calm").Run(static () => { }, TestContext.Current.CancellationToken));
        Assert.DoesNotContain(Conditions(host).Verdicts, static verdict => verdict.Subject == "calm");
    }

    [Fact]
    public async Task BlockedAtTheLimit_SaysHowMany_InWhat_AndWhatIsRejected()
    {
        await using TestHost host = await StartAsync("limit", options =>
            (options.MaxThreads, options.MaxBlockedThreads, options.QueueLimit, options.RecordItems) = (1, 1, 1, ItemRecording.Always));
        NativeThreadPool pool = host.Pool("limit");
        var release = new ManualResetEventSlim(); // not disposed: the last item may begin after this test
        void WaitForSupplier(object? state) => release.Wait(Deadline.Time);
        Deadline.Until(() => pool.TryQueueUserWorkItem(WaitForSupplier, null)); // fills both threads and then the queue
        Deadline.Until(() => pool.ThreadCount == 2 || (pool.TryQueueUserWorkItem(WaitForSupplier, null) && false));
        Deadline.Until(() => pool.BlockedThreadCount == 2 || (pool.TryQueueUserWorkItem(WaitForSupplier, null) && false));
        pool.TryQueueUserWorkItem(WaitForSupplier, null);
        Verdict? verdict = null;
        Deadline.Until(() => !pool.TryQueueUserWorkItem(WaitForSupplier, null) && (verdict = Of(host, "limit"))?.Conditions.Count >= 2 && verdict.Text.Contains("rejected", StringComparison.Ordinal));

        Assert.Matches($@"^limit: 2 of 2 threads blocked \(limit reached\), 100 % in {nameof(ConditionTests)}\.WaitForSupplier, queue full \(1 of 1\), \d+ items a second rejected", verdict!.Text);
        Assert.Equal(["limit-reached", "queue-full"], verdict.Conditions.Take(2).Select(static condition => condition.Id));
        Assert.InRange(verdict.Since, DateTimeOffset.UtcNow - Deadline.Time, DateTimeOffset.UtcNow);
        Assert.Equal(1, Metric(host, "limit", "limit-reached"));
        release.Set();
        Deadline.Until(() => Of(host, "limit")?.Conditions.Any(static condition => condition.Id == "limit-reached") != true);
        Assert.Equal(0, Metric(host, "limit", "limit-reached"));
    }

    [Fact]
    public async Task CodeThatWaitsForItsOwnPool_IsARescue()
    {
        await using TestHost host = await StartAsync("rescued", options => (options.MaxThreads, options.MaxBlockedThreads) = (1, 1));
        NativeThreadPool pool = host.Pool("rescued");
        Task[] outer = [.. Enumerable.Range(0, 2).Select(_ => pool.Run(() => pool.Run(static () => Thread.Sleep(1)).Wait(Deadline.Time)))];
        await Deadline.For(Task.WhenAll(outer));
        Deadline.Until(() => Of(host, "rescued") is { } verdict && verdict.Text.Contains("blocked code waits for work of its own pool", StringComparison.Ordinal));
    }

    [Fact]
    public async Task AnOldItem_IsACondition_WithItsAge()
    {
        await using TestHost host = await StartAsync("aged", options => (options.MaxThreads, options.MaxBlockedThreads) = (1, 1),
            services => services.Configure<ConditionOptions>(static options => options.MaxWorkItemAge = TimeSpan.FromMilliseconds(200)));
        NativeThreadPool pool = host.Pool("aged");
        using var first = new StuckItem(pool);
        using var second = new StuckItem(pool);
        pool.QueueUserWorkItem(static _ => { });
        Deadline.Until(() => Of(host, "aged")?.Conditions.Any(static condition => condition.Id == "old-item") == true);
        Assert.Matches(@"the oldest item has waited for (\d+ ms|[\d.]+ s)", Of(host, "aged")!.Text);
    }

    [Fact]
    public async Task ACallbackThatHoldsUpItsLoop_IsALongTurn()
    {
        await using TestHost host = await StartAsync("unused", static options => options.MaxThreads = 1);
        using var observer = new ThreadObserver(recordsItems: false);
        using var loop = new EventLoop(new EventLoopOptions { Name = "held-up" });
        using var release = new ManualResetEventSlim();
        loop.Post(static release => ((ManualResetEventSlim)release!).Wait(Deadline.Time), release);
        Verdict? verdict = null;
        Deadline.Until(() => (verdict = Conditions(host).Judge(observer.TakeSnapshot()).FirstOrDefault(static verdict => verdict.Subject == "held-up")) is not null);
        release.Set();
        Assert.Matches(@"^held-up: a turn took (\d+ ms|[\d.]+ s)$", verdict!.Text);
    }

    [Fact]
    public async Task TheBuiltInPool_StarvesWhileItsQueueGrows_AndThreadsAreAdded()
    {
        await using TestHost host = await StartAsync("bystander", static options => options.MaxThreads = 1);
        PoolConditions conditions = Conditions(host);
        Verdict? verdict = null;
        var judge = new Thread(() => // not on the pool that starves
        {
            using var release = new ManualResetEventSlim();
            ThreadPool.GetMinThreads(out int minThreads, out _);
            var ended = new CountdownEvent(minThreads + ThreadPool.ThreadCount + 20); // not disposed: the last item still signals
            for (int i = 0; i < ended.InitialCount; i++)
            {
                ThreadPool.UnsafeQueueUserWorkItem(
                    _ =>
                    {
                        release.Wait(Deadline.Time);
                        ended.Signal();
                    },
                    null);
            }

            Deadline.Until(() => (verdict = conditions.Verdicts.FirstOrDefault(static verdict => verdict.SubjectId == "runtime-pool")) is not null);
            release.Set();
            Assert.True(ended.Wait(Deadline.Time));
        });
        judge.Start();
        Deadline.Join(judge);
        Assert.Matches(@"^built-in pool: \d+ items? waiting, threads grew from \d+ to \d+$", verdict!.Text);
    }

    [Fact]
    public async Task ABeginningAndAnEnd_AreLoggedOnce_InTheSameWords()
    {
        var time = new SettableTime();
        await using TestHost host = await StartAsync("logged", options => (options.MaxThreads, options.MaxBlockedThreads) = (1, 1), services => services.AddSingleton<TimeProvider>(time));
        NativeThreadPool pool = host.Pool("logged");
        string words = "";
        using (new StuckItem(pool))
        using (new StuckItem(pool))
        {
            pool.QueueUserWorkItem(static _ => { });

            // No evaluation is asked for: the pool's own warning begins them.
            Deadline.Until(() => Records(8).Length == 1);
            words = Of(host, "logged")!.Conditions[0].Text;
        }

        Assert.StartsWith($"logged: {words}, since ", Records(8)[0].Text, StringComparison.Ordinal);
        Assert.EndsWith("See docs/reference/conditions.md#limit-reached.", Records(8)[0].Text, StringComparison.Ordinal);
        Assert.Equal(LogLevel.Error, Records(8)[0].Level);
        Deadline.Until(() =>
        {
            time.Advance(TimeSpan.FromSeconds(6));
            return Of(host, "logged") is null && Records(9).Length == 1;
        });
        Assert.Equal("logged: 'limit-reached' is over.", Records(9)[0].Text);

        (LogLevel Level, int Id, string Text)[] Records(int id) => [.. host.Log.All.Where(record => record.Id == id && record.Text.Contains("limit", StringComparison.Ordinal))];
    }

    [Fact]
    public void StarvationAndALostWake_AreJudgedByTheirCounts()
    {
        var judge = new Judge(new ConditionOptions());
        DateTimeOffset now = DateTimeOffset.UnixEpoch.AddDays(1);
        ThreadSnapshot before = Snapshot(lostWakes: 0), after = Snapshot(lostWakes: 2);
        judge.Next(before, default, now);
        Verdict verdict = Assert.Single(judge.Next(after, default, now.AddSeconds(1)));
        Assert.Equal("made: 1 of 1 threads blocked, 100 % in GET /report, 3 items waiting, 2 lost wake-ups repeated", verdict.Text);
        Assert.Equal(now.AddSeconds(-5), verdict.Since);
        verdict = Assert.Single(judge.Next(after, default, now.AddSeconds(5)));
        Assert.Equal(now.AddSeconds(-5), verdict.Since); // it lasts
        Assert.Single(Assert.Single(judge.Next(after, default, now.AddSeconds(15))).Conditions); // the wake-up is long ago

        static ThreadSnapshot Snapshot(int lostWakes) => new(TimeSpan.Zero, [new PoolSnapshot
        {
            Id = 1, Name = "made", IsShuttingDown = false, MinThreads = 0, MaxThreads = 2, MaxBlockedThreads = 5, QueueLimit = null, LongRunningThreadCount = 0,
            QueueLength = 3, OldestWorkItemAge = TimeSpan.Zero, CompletedWorkItemCount = 0, ReplacementCount = 0, RefusalCount = 0, StealCount = 0, WakeCount = 0,
            QueueWaits = null, AllThreadsBlockedDuration = TimeSpan.FromSeconds(5), LostWakeCount = lostWakes,
            Workers = [new WorkerSnapshot { Name = "w", State = WorkerState.Blocked, CompletedWorkItemCount = 0, Item = new RunningItem(null, null, TimeSpan.Zero) { Label = "GET /report" } }],
        }], []);
    }

    [Fact]
    public void TheDocumentation_HasEachCondition_WithItsRemedy()
    {
        string page = File.ReadAllText(Path.Combine(SourceTree.Root, "docs", "reference", "conditions.md")).ReplaceLineEndings(" ");
        Assert.All(ConditionKind.All, kind =>
        {
            Assert.Contains($"## {kind.Id} ", page, StringComparison.Ordinal);
            Assert.Contains(kind.Remedy, page, StringComparison.Ordinal);
        });
    }

    private static Task<TestHost> StartAsync(string pool, Action<NativeThreadPoolOptions> options, Action<IServiceCollection>? services = null) =>
        new TestHost(all =>
        {
            all.AddNativeThreadPool(pool, options);
            services?.Invoke(all);
        }).StartAsync();

    private static PoolConditions Conditions(TestHost host) => host.Provider.GetRequiredService<PoolConditions>();

    private static Verdict? Of(TestHost host, string pool) => Conditions(host).Verdicts.FirstOrDefault(verdict => verdict.Subject == pool);

    /// <summary>What the metric says now.</summary>
    private static int Metric(TestHost host, string pool, string condition)
    {
        int value = -1;
        using var listener = new MeterListener();
        listener.InstrumentPublished = (instrument, listener) =>
        {
            if (instrument.Name == "native_threading.condition" && instrument.Meter.Scope == host.Provider.GetRequiredService<IMeterFactory>())
            {
                listener.EnableMeasurementEvents(instrument);
            }
        };
        listener.SetMeasurementEventCallback<int>((_, measured, tags, _) =>
        {
            if (tags.ToArray().Contains(new("native_threading.condition", condition)) && tags.ToArray().Contains(new("native_threading.pool.name", pool)))
            {
                value = measured;
            }
        });
        listener.Start();
        listener.RecordObservableInstruments();
        return value;
    }

    private sealed class SettableTime : TimeProvider
    {
        private long _passed;

        public override DateTimeOffset GetUtcNow() => base.GetUtcNow().AddTicks(Volatile.Read(ref _passed));

        public void Advance(TimeSpan time) => Interlocked.Add(ref _passed, time.Ticks);
    }
}
