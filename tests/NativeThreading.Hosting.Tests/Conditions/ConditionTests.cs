using System.Diagnostics.Metrics;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Diagnostics.HealthChecks;
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

        Assert.Matches($@"^limit: 2 of 2 threads blocked \(limit reached\), 100 % in {nameof(ConditionTests)}\.WaitForSupplier, queue full \(1 of 1\), [\d.]+ items a second rejected", verdict!.Text);
        Assert.Equal(["limit-reached", "queue-full"], verdict.Conditions.Take(2).Select(static condition => condition.Id));
        Assert.InRange(verdict.Since, DateTimeOffset.UtcNow - Deadline.Time, DateTimeOffset.UtcNow);
        Assert.Equal(1, Metric(host, "limit", "limit-reached"));
        release.Set();
        Deadline.Until(() => Of(host, "limit") is { Text: "limit: queue was full (0 of 1)" }); // for ten seconds
        Assert.Equal(0, Metric(host, "limit", "limit-reached"));
    }

    [Fact]
    public async Task CodeThatWaitsForItsOwnPool_IsARescue()
    {
        await using TestHost host = await StartAsync("rescued", options => (options.MaxThreads, options.MaxBlockedThreads) = (1, 1));
        NativeThreadPool pool = host.Pool("rescued");
        Assert.Null(Of(host, "rescued"));
        Task[] outer = [.. Enumerable.Range(0, 2).Select(_ => pool.Run(() => pool.Run(static () => Thread.Sleep(1)).Wait(Deadline.Time)))];
        await Deadline.For(Task.WhenAll(outer));
        Deadline.Until(() => Of(host, "rescued") is { } verdict && verdict.Text.EndsWith("blocked code probably waited for work of its own pool", StringComparison.Ordinal));
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
    public async Task BlockedBelowTheLimit_WhereTheSystemHasNoMoreThreads_IsStarvation_UntilThereAreSome()
    {
        await using TestHost host = await StartAsync("starved", static options => (options.MaxThreads, options.MaxBlockedThreads, options.RecordItems) = (2, 10, ItemRecording.Always));
        NativeThreadPool pool = host.Pool("starved");
        using var first = new StuckItem(pool);
        using var second = new StuckItem(pool);
        using var ran = new ManualResetEventSlim();
        using (new FailingThreadStarts("starved"))
        {
            pool.QueueUserWorkItem(_ => ran.Set());
            Deadline.Until(() => host.Log.All.Any(static record => record.Id == 8 && record.Text.Contains("starved", StringComparison.Ordinal))); // nothing asks
            Verdict verdict = Of(host, "starved")!;
            Assert.Matches(@"^starved: 2 of 2 threads blocked, 100 % in StuckItem.*, 1 item waiting$", verdict.Text);
            Assert.Equal("starvation", Assert.Single(verdict.Conditions).Id);
            Assert.Equal(1, Metric(host, "starved", "starvation"));
        }

        Deadline.Wait(ran); // the pool recovers
        Deadline.Until(() => Of(host, "starved") is null);
    }

    [Fact]
    public async Task ALostWakeUp_IsACondition_ForTenSeconds()
    {
        var time = new SettableTime();
        await using TestHost host = await StartAsync("lost", static options => (options.MinThreads, options.MaxThreads) = (2, 2), services => services.AddSingleton<TimeProvider>(time));
        NativeThreadPool pool = host.Pool("lost");
        using (new StuckItem(pool))
        {
            new StuckItem(pool).Dispose();
        }

        Deadline.Until(() => new PoolProbe(pool).IsAtRest);
        new PoolProbe(pool).LoseRequest(age: 10_000); // as a bug of the library would
        await Deadline.For(pool.Run(static () => { }, TestContext.Current.CancellationToken));

        // The pool's warning is what the library looks for: it has never looked before.
        Deadline.Until(() => host.Log.All.Any(static record => record.Id == 8 && record.Text.Contains("lost: 1 lost wake-up repeated", StringComparison.Ordinal)));
        Assert.Equal("lost-wake", Assert.Single(Of(host, "lost")!.Conditions).Id);
        time.Advance(TimeSpan.FromSeconds(11));
        Assert.Null(Of(host, "lost"));
    }

    [Fact]
    public async Task AnExpiredItem_IsACondition_WithTheNumberOfItems()
    {
        var time = new SettableTime();
        await using TestHost host = await StartAsync("expired", static options => (options.MaxThreads, options.MaxBlockedThreads) = (1, 0), services => services.AddSingleton<TimeProvider>(time));
        NativeThreadPool pool = host.Pool("expired");
        Assert.Null(Of(host, "expired"));
        using (new StuckItem(pool))
        {
            Task[] expired = [.. Enumerable.Range(0, 3).Select(_ => pool.Run(static () => { }, new WorkOptions { StartWithin = TimeSpan.FromMilliseconds(1) }))];
            await Assert.ThrowsAnyAsync<OperationCanceledException>(() => Deadline.For(Task.WhenAll(expired)));
            Verdict? verdict = null;
            Deadline.Until(() => (verdict = Of(host, "expired"))?.Text.Contains("3 items expired", StringComparison.Ordinal) == true);
            Assert.Contains(verdict!.Conditions, static condition => condition.Id == "expired-item");
            Assert.Equal(1, Metric(host, "expired", "expired-item"));
        }

        HealthReport health = await Deadline.For(host.Provider.GetRequiredService<HealthCheckService>().CheckHealthAsync(TestContext.Current.CancellationToken));
        Assert.Contains(Assert.IsType<string[]>(health.Entries["native-threading:expired"].Data["conditions"]), static words => words.Contains("3 items expired", StringComparison.Ordinal));
        Deadline.Until(() => host.Log.All.Any(static record => record.Id == 8 && record.Text.Contains("#expired-item", StringComparison.Ordinal)));
        time.Advance(TimeSpan.FromSeconds(11));
        Deadline.Until(() => Of(host, "expired") is null);
        Assert.Equal(0, Metric(host, "expired", "expired-item"));
    }

    [Fact]
    public async Task WithACheckInterval_AConditionWithoutAWarning_IsLogged_ThoughNothingAsks()
    {
        await using TestHost host = await StartAsync("checked", static options => (options.MaxThreads, options.MaxBlockedThreads, options.QueueLimit) = (1, 0, 1), services => services
            .Configure<ConditionOptions>(static options => (options.CheckInterval, options.MaxWorkItemAge) = (TimeSpan.FromMilliseconds(20), TimeSpan.FromMilliseconds(100))));
        NativeThreadPool pool = host.Pool("checked");
        pool.Pause(); // a blocked thread would bring a warning, after which the library checks anyway
        pool.QueueUserWorkItem(static _ => { });
        Deadline.Until(() => Logged("queue-full") && Logged("old-item"));

        bool Logged(string id) => host.Log.All.Any(record => record.Id == 8 && record.Text.StartsWith("checked: ", StringComparison.Ordinal) && record.Text.EndsWith($"#{id}.", StringComparison.Ordinal));
    }

    [Fact]
    public void LimitsAreChecked()
    {
        var options = new ConditionOptions { CheckInterval = null };
        Assert.Contains("CheckInterval must be positive, but was 00:00:00.", Assert.Throws<ArgumentOutOfRangeException>(() => options.CheckInterval = TimeSpan.Zero).Message, StringComparison.Ordinal);
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
            all.AddNativeThreadPool(pool, options).AddHealthCheck();
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
