using System.Diagnostics;
using System.Text.Json;
using NativeThreading.Dashboard.Tests.Support;
using NativeThreading.Tests.Support;

namespace NativeThreading.Dashboard.Tests.Api;

/// <summary>The JSON that docs/guides/observe.md describes: names, kinds, units.</summary>
public sealed class SnapshotTests
{
    [Fact]
    public async Task Shape_IsThatOfVersion1()
    {
        using var pool = new NativeThreadPool(new NativeThreadPoolOptions { Name = "shape", MaxThreads = 2, QueueLimit = 7 });
        using var loop = new EventLoop(new EventLoopOptions { Name = "shape" });
        await using TestApp app = await TestApp.StartAsync();
        using SampleStream stream = await app.OpenStreamAsync();
        await stream.ReadSampleAsync();
        using var occupied = new BlockedWorkers(pool, 1);
        app.Pass(TestApp.Second);
        JsonElement sample = await stream.ReadSampleAsync();

        AssertNames(sample, "version", "sequence", "time", "interval", "process", "verdicts", "runtimePool", "pools", "loops");
        Assert.Equal(1, sample.GetProperty("version").GetInt32());
        Assert.Equal(2, sample.GetProperty("sequence").GetInt64());
        Assert.Equal(1000, sample.GetProperty("interval").GetDouble());
        Assert.EndsWith("Z", sample.GetProperty("time").GetString(), StringComparison.Ordinal);
        AssertNames(sample.GetProperty("process"), "name", "id", "processors", "cpu", "machine", "pod", "inContainer", "version", "libraryVersion", "uptime", "quota", "core");
        Assert.Equal("NativeThreading.Dashboard.Tests", sample.GetProperty("process").GetProperty("name").GetString());
        Assert.True(sample.GetProperty("process").GetProperty("cpu").GetDouble() >= 0);
        AssertNames(sample.GetProperty("runtimePool"), "threads", "minThreads", "pending", "completed", "perSecond");

        JsonElement seen = Named(sample.GetProperty("pools"), "shape");
        AssertNames(
            seen, "id", "name", "state", "minThreads", "maxThreads", "maxBlockedThreads", "maxRescueThreads", "queueLimit", "threads", "rescueThreads", "queue",
            "completed", "perSecond", "replacements", "rescues", "refusals", "steals", "wakes", "latency", "workers");
        AssertNames(seen.GetProperty("threads"), "running", "blocked", "parked", "reserve", "longRunning");
        AssertNames(seen.GetProperty("queue"), "length", "oldest");
        Assert.Equal(("running", 2, 7), (seen.GetProperty("state").GetString(), seen.GetProperty("maxThreads").GetInt32(), seen.GetProperty("queueLimit").GetInt32()));

        JsonElement latency = seen.GetProperty("latency");
        AssertNames(latency, "p50", "p99", "p999", "bounds", "counts");
        Assert.Equal(latency.GetProperty("bounds").GetArrayLength() + 1, latency.GetProperty("counts").GetArrayLength());
        Assert.Equal(1, latency.GetProperty("bounds")[0].GetDouble());
        Assert.Equal(1, latency.GetProperty("counts").EnumerateArray().Sum(static count => count.GetInt64()));

        JsonElement worker = Assert.Single(seen.GetProperty("workers").EnumerateArray());
        AssertNames(worker, "name", "state", "since", "atLeast", "item", "waitsIn", "completed");
        AssertNames(worker.GetProperty("item"), "name", "type", "method", "running");

        AssertNames(Named(sample.GetProperty("loops"), "shape"), "id", "name", "pending", "turnsPerSecond", "longestTurn", "busy", "timers", "descriptors");
    }

    [Fact]
    public async Task Snapshot_IsASample_AndNobodyLooksAfterwards()
    {
        await using TestApp app = await TestApp.StartAsync();
        using HttpResponseMessage response = await app.GetAsync("/threads/api/v1/snapshot");
        Assert.Equal("application/json", response.Content.Headers.ContentType!.MediaType);
        Assert.True(response.Headers.CacheControl!.NoStore);
        JsonElement sample = await app.SnapshotAsync();
        Assert.Equal(JsonValueKind.Null, sample.GetProperty("process").GetProperty("cpu").ValueKind); // one look knows no rate
        Deadline.Until(() => !app.Sampler.IsObserving);
    }

    [Fact]
    public async Task BlockedWorker_AppearsWithItsMethod()
    {
        using var pool = new NativeThreadPool(new NativeThreadPoolOptions { Name = "blocked", MaxThreads = 1 });
        await using TestApp app = await TestApp.StartAsync();
        using SampleStream stream = await app.OpenStreamAsync();
        await stream.ReadSampleAsync();
        using var release = new ManualResetEventSlim();
        Task waiting = pool.Run(() => WaitForSupplier(release));

        // As many samples as it takes: a hundred are made in the time in which a worker that lacks a processor does not wait yet.
        JsonElement worker = default;
        long began = Stopwatch.GetTimestamp();
        while (worker.ValueKind == JsonValueKind.Undefined || worker.GetProperty("state").GetString() != "blocked")
        {
            Assert.True(Stopwatch.GetElapsedTime(began) < Deadline.Time, worker.ToString());
            app.Pass(TestApp.Second);
            worker = Assert.Single(Named((await stream.ReadSampleAsync()).GetProperty("pools"), "blocked").GetProperty("workers").EnumerateArray());
        }

        JsonElement item = worker.GetProperty("item");
        Assert.Equal(typeof(SnapshotTests).FullName, item.GetProperty("type").GetString());
        Assert.Equal(nameof(BlockedWorker_AppearsWithItsMethod), item.GetProperty("method").GetString());
        release.Set();
        await Deadline.For(waiting);
    }

    [Fact]
    public async Task OldestItem_HasNoAgeInAnEmptyQueue_NorBeforeItIsKnown_AndAgreesWithTheWaitThatFollows()
    {
        using var pool = new NativeThreadPool(new NativeThreadPoolOptions { Name = "aged", MaxThreads = 1, MaxBlockedThreads = 0 });
        await using TestApp app = await TestApp.StartAsync();
        using SampleStream stream = await app.OpenStreamAsync();
        JsonElement seen = Named((await stream.ReadSampleAsync()).GetProperty("pools"), "aged");
        Assert.Equal(JsonValueKind.Null, Oldest().ValueKind);

        double oldest = 0;
        using (new BlockedWorkers(pool, 1))
        {
            pool.QueueUserWorkItem(static _ => { });
            long began = Stopwatch.GetTimestamp();
            while (oldest < 300)
            {
                Assert.True(Stopwatch.GetElapsedTime(began) < Deadline.Time, seen.ToString());
                await NextAsync();
                Assert.Equal(1, seen.GetProperty("queue").GetProperty("length").GetInt32());
                oldest = Oldest().ValueKind == JsonValueKind.Null ? 0 : Oldest().GetDouble();
                Assert.True(oldest > 0 || Oldest().ValueKind == JsonValueKind.Null, "Zero is no age.");
            }
        }

        do
        {
            await NextAsync();
        }
        while (seen.GetProperty("latency").ValueKind == JsonValueKind.Null);

        Assert.Equal(JsonValueKind.Null, Oldest().ValueKind);
        Assert.True(seen.GetProperty("latency").GetProperty("p99").GetDouble() >= 950 * oldest, $"{oldest} ms, and then {seen}"); // in microseconds, of one item

        JsonElement Oldest() => seen.GetProperty("queue").GetProperty("oldest");

        async Task NextAsync()
        {
            app.Pass(TestApp.Second);
            seen = Named((await stream.ReadSampleAsync()).GetProperty("pools"), "aged");
        }
    }

    private static void WaitForSupplier(ManualResetEventSlim release) => release.Wait(Deadline.Time);

    private static JsonElement Named(JsonElement array, string name) =>
        array.EnumerateArray().Single(element => element.GetProperty("name").GetString() == name);

    private static void AssertNames(JsonElement element, params string[] names) =>
        Assert.Equal(names, element.EnumerateObject().Select(static property => property.Name));
}
