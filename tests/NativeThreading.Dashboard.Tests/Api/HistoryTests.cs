using System.Text.Json;
using Microsoft.AspNetCore.Builder;
using Microsoft.Extensions.Hosting;
using NativeThreading.Dashboard.Sampling;
using NativeThreading.Dashboard.Tests.Support;
using NativeThreading.Diagnostics;
using NativeThreading.Tests.Support;

namespace NativeThreading.Dashboard.Tests.Api;

/// <summary>What the page knows before a viewer opens it, and what it says of an incident.</summary>
public sealed class HistoryTests
{
    [Fact]
    public async Task History_BeginsWhenThePageIsMapped_AndRecordsNoItems()
    {
        await using TestApp app = await TestApp.StartAsync(static options => options.History = TimeSpan.FromMinutes(15));
        Assert.Equal((1, 0), (app.TimerCount, app.Sampler.ViewerCount));
        Pass(app, 3);
        using var pool = new NativeThreadPool(new NativeThreadPoolOptions { Name = "later", MaxThreads = 2 });
        using var occupied = new WorkersInRegions(pool, 2);
        Assert.False(ThreadObserver.RecordsItem);
        Pass(app, 2);

        JsonElement history = await ReadAsync(app, "history");
        Assert.Equal(5, history.GetProperty("times").GetArrayLength());
        Assert.Equal(5, history.GetProperty("runtimePool").GetProperty("threads").GetArrayLength());
        JsonElement later = history.GetProperty("pools").EnumerateArray().Single(static pool => pool.GetProperty("name").GetString() == "later");
        Assert.Equal([null, null, null, 2, 2], Values(later, "blocked"));
        Assert.Equal([null, null, null, 0, 0], Values(later, "length"));
        Assert.Equal([null, null, null, null, null], Values(later, "p99")); // no item was recorded
    }

    [Fact]
    public async Task WhileNothingHappens_PointsRepeat_ForFiveSecondsAtMost_AndNotForAViewer_OrWhileSomethingIsWrong()
    {
        using var pool = new NativeThreadPool(new NativeThreadPoolOptions { Name = "resting", MaxThreads = 1, MaxBlockedThreads = 0 });
        await using TestApp app = await TestApp.StartAsync(static options => options.History = TimeSpan.FromMinutes(15));
        using var item = new ItemThatComputesOrWaits(pool); // without a change that an observer notices without the kernel
        Deadline.Until(() =>
        {
            item.Compute();
            Pass(app, 7);
            item.Wait();
            Pass(app, 1);
            return NewestBlocked() == 0; // otherwise it was time for a full sample, or something happened in this process
        });
        Pass(app, 5);
        Assert.Equal(1, NewestBlocked()); // at the limit, which is a condition
        item.Compute();
        Pass(app, 1);
        Assert.Equal(0, NewestBlocked());
        Pass(app, 2);
        item.Wait();
        using Viewer viewer = app.Sampler.TryJoin(1)!;
        Assert.True(viewer.TryRead(out PublishedSample? seen));
        Assert.Equal(1, seen.Sample.Pools.Single(static pool => pool.Name == "resting").Threads.Blocked);

        double? NewestBlocked() => Values(JsonElement.Parse(app.Sampler.History()!).GetProperty("pools").EnumerateArray().Single(static pool => pool.GetProperty("name").GetString() == "resting"), "blocked")[^1];
    }

    [Fact]
    public async Task Ring_HasTheNewestPointsAndNoMore()
    {
        using var pool = new NativeThreadPool(new NativeThreadPoolOptions { Name = "bounded" });
        await using TestApp app = await TestApp.StartAsync(static options => options.History = TimeSpan.FromSeconds(3));
        Pass(app, 10);
        double?[] times = Values(await ReadAsync(app, "history"), "times");
        Assert.Equal(3, times.Length);
        Assert.Equal([1, 1], times.Zip(times.Skip(1), static (before, after) => Math.Round(after!.Value - before!.Value, 3)));
    }

    [Fact]
    public async Task TwentyPools_TakeLessThanTwoMegabytes()
    {
        NativeThreadPool[] pools = [.. Enumerable.Range(0, 20).Select(static index => new NativeThreadPool(new NativeThreadPoolOptions { Name = $"pool-{index}" }))];
        long least = long.MaxValue; // other tests run at the same time, and some of what they load stays
        for (int attempt = 0; attempt < 5 && least >= 2_000_000; attempt++)
        {
            await using TestApp app = await TestApp.StartAsync(static options => options.History = TimeSpan.FromMinutes(15));
            long before = GC.GetTotalMemory(forceFullCollection: true);
            Pass(app, 1);
            least = Math.Min(least, GC.GetTotalMemory(forceFullCollection: true) - before);
        }

        Assert.True(least < 2_000_000, $"{least} bytes");
        Array.ForEach(pools, static pool => pool.Dispose());
    }

    [Fact]
    public async Task WithoutAHistory_NothingRuns_AndTheAnswerIsNull()
    {
        await using TestApp app = await TestApp.StartAsync();
        Assert.Equal(0, app.TimerCount);
        Assert.False(app.Sampler.IsObserving);
        Assert.Equal(JsonValueKind.Null, (await ReadAsync(app, "history")).ValueKind);
    }

    [Fact]
    public async Task History_EndsWithTheApplication()
    {
        await using TestApp app = await TestApp.StartAsync(Environments.Development, static app => app.MapNativeThreading());
        Assert.True(app.Sampler.IsObserving);
        await app.StopAsync();
        Assert.False(app.Sampler.IsObserving);
        Assert.Equal(0, app.TimerCount);
    }

    [Fact]
    public async Task Incident_HasTheVerdict_TheThreads_AndTheHistory()
    {
        using var pool = new NativeThreadPool(new NativeThreadPoolOptions { Name = "stuck", MaxThreads = 1, MaxBlockedThreads = 1, RecordItems = ItemRecording.Always });
        await using TestApp app = await TestApp.StartAsync(static options => options.History = TimeSpan.FromMinutes(15));
        using var occupied = new BlockedWorkers(pool, 2);
        pool.UnsafeQueueUserWorkItem(static _ => { }, null);
        Deadline.Until(() =>
        {
            Pass(app, 1);
            return app.Sampler.History() is { } history && JsonElement.Parse(history).GetProperty("events").GetArrayLength() != 0;
        });
        using HttpResponseMessage response = await app.GetAsync("/threads/api/v1/incident.json");
        Assert.Matches(@"^incident-\d{8}-\d{6}\.json$", response.Content.Headers.ContentDisposition!.FileName!.Trim('"'));
        JsonElement incident = JsonElement.Parse(await Deadline.For(response.Content.ReadAsByteArrayAsync()));
        Assert.Equal("NativeThreading incident", incident.GetProperty("kind").GetString());
        JsonElement verdict = incident.GetProperty("sample").GetProperty("verdicts").EnumerateArray().First(static verdict => verdict.GetProperty("subject").GetString() == "stuck");
        Assert.StartsWith("stuck: 2 of 2 threads blocked (limit reached), 100 % in ", verdict.GetProperty("text").GetString(), StringComparison.Ordinal);
        Assert.Equal("limit-reached", verdict.GetProperty("conditions")[0].GetProperty("id").GetString());
        JsonElement worker = incident.GetProperty("sample").GetProperty("pools").EnumerateArray()
            .Single(static pool => pool.GetProperty("name").GetString() == "stuck").GetProperty("workers")[0];
        Assert.Equal("blocked", worker.GetProperty("state").GetString());
        Assert.NotEqual(JsonValueKind.Null, worker.GetProperty("item").ValueKind); // recorded before a viewer came
        Assert.StartsWith("stuck: ", incident.GetProperty("history").GetProperty("events")[0].GetProperty("text").GetString(), StringComparison.Ordinal);
    }

    [Fact]
    public void LengthOutOfRange_IsRefused() =>
        Assert.Contains("must be between 00:00:00 and 01:00:00", Assert.Throws<ArgumentOutOfRangeException>(() => new DashboardOptions { History = TimeSpan.FromHours(2) }).Message, StringComparison.Ordinal);

    [Fact]
    public void Ticker_TicksOnItsOwnThread_UntilItIsDisposed()
    {
        string? name = null;
        bool ofThePool = true;
        using var ticked = new CountdownEvent(3);
        var ticker = new Ticker(
            () =>
            {
                (name, ofThePool) = (Thread.CurrentThread.Name, Thread.CurrentThread.IsThreadPoolThread);
                if (!ticked.IsSet)
                {
                    ticked.Signal();
                }
            },
            TimeSpan.FromMilliseconds(1));
        Deadline.Until(() => ticked.IsSet);
        ticker.Dispose();
        Assert.Equal(("NativeThreading.Dashboard", false), (name, ofThePool));
    }

    private static void Pass(TestApp app, int seconds)
    {
        for (int i = 0; i < seconds; i++)
        {
            app.Pass(TestApp.Second);
        }
    }

    private static async Task<JsonElement> ReadAsync(TestApp app, string path)
    {
        using HttpResponseMessage response = await app.GetAsync($"/threads/api/v1/{path}");
        return JsonElement.Parse(await Deadline.For(response.EnsureSuccessStatusCode().Content.ReadAsByteArrayAsync()));
    }

    private static double?[] Values(JsonElement of, string column) =>
        [.. of.GetProperty(column).EnumerateArray().Select(static value => value.ValueKind == JsonValueKind.Null ? (double?)null : value.GetDouble())];

    /// <summary>An item that lasts until it is disposed of, and changes nothing that its pool counts.</summary>
    private sealed class ItemThatComputesOrWaits : IDisposable
    {
        private readonly AutoResetEvent _wake = new(false);
        private readonly ThreadObserver _observer = new(recordsItems: false);
        private readonly string _pool;
        private bool _waits;
        private bool _isDisposed;

        public ItemThatComputesOrWaits(NativeThreadPool pool)
        {
            _pool = pool.Name;
            pool.UnsafeQueueUserWorkItem(_ => Run(), null);
        }

        public void Compute()
        {
            Volatile.Write(ref _waits, false);
            _wake.Set();
            Await(WorkerState.Running);
        }

        public void Wait()
        {
            _wake.Reset();
            Volatile.Write(ref _waits, true);
            Await(WorkerState.Blocked);
        }

        public void Dispose()
        {
            Volatile.Write(ref _isDisposed, true);
            _wake.Set();
            _observer.Dispose();
        }

        private void Await(WorkerState state) =>
            Deadline.Until(() => _observer.TakeSnapshot().Pools.Single(pool => pool.Name == _pool).Workers is [var worker] && worker.State == state);

        private void Run()
        {
            while (!Volatile.Read(ref _isDisposed))
            {
                if (Volatile.Read(ref _waits))
                {
                    _wake.WaitOne(Deadline.Time);
                }
            }
        }
    }

    /// <summary>Without waiting work a pool finds no blocked thread by itself.</summary>
    private sealed class WorkersInRegions(NativeThreadPool pool, int count) : Occupation(count, item => pool.UnsafeQueueUserWorkItem(
        _ =>
        {
            using BlockingRegion region = NativeThreadPool.EnterBlockingRegion();
            item(null);
        },
        null));
}
