using System.Net.Sockets;
using System.Text.Json;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Connections.Features;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using NativeThreading.Dashboard.Tests.Support;
using NativeThreading.Tests.Support;

namespace NativeThreading.Dashboard.Tests.Api;

/// <summary>One sampler for all viewers, and none without a viewer.</summary>
public sealed class StreamTests
{
    [Fact]
    public async Task FirstSampleComesAtOnce_ThenOneASecond()
    {
        await using TestApp app = await TestApp.StartAsync();
        using SampleStream stream = await app.OpenStreamAsync();
        Assert.Equal("text/event-stream", stream.Response.Content.Headers.ContentType!.ToString());
        Assert.True(stream.Response.Headers.CacheControl!.NoStore);
        Assert.Equal(["retry: 1000"], await stream.ReadEventAsync());
        Assert.Equal(1, Sequence(await stream.ReadSampleAsync()));

        app.Pass(TestApp.Second - TimeSpan.FromMilliseconds(1));
        Assert.Equal(1, app.Sampler.SampleCount);
        app.Pass(TimeSpan.FromMilliseconds(1));
        Assert.Equal(2, Sequence(await stream.ReadSampleAsync()));
        app.Pass(TestApp.Second);
        Assert.Equal(3, Sequence(await stream.ReadSampleAsync()));
        Assert.Equal(3, app.Sampler.SampleCount);
    }

    [Fact]
    public async Task ManyViewers_ShareTheSamples_AndOneTimer()
    {
        await using TestApp app = await TestApp.StartAsync(Environments.Development, static app =>
        {
            app.MapNativeThreading(configure: TestApp.NoHistory);
            app.MapNativeThreading("/other", TestApp.NoHistory);
        });
        SampleStream[] streams = await Task.WhenAll(Enumerable.Range(0, 5).Select(_ => app.OpenStreamAsync()));
        foreach (SampleStream stream in streams)
        {
            Assert.Equal(1, Sequence(await stream.ReadSampleAsync()));
        }

        using HttpResponseMessage snapshot = await app.GetAsync("/other/api/v1/snapshot");
        Assert.Equal(1, Sequence(JsonElement.Parse(await Deadline.For(snapshot.Content.ReadAsByteArrayAsync()))));
        Assert.Equal(1, app.TimerCount);
        app.Pass(TestApp.Second);
        foreach (SampleStream stream in streams)
        {
            Assert.Equal(2, Sequence(await stream.ReadSampleAsync()));
            stream.Dispose();
        }

        Assert.Equal(2, app.Sampler.SampleCount);
    }

    [Fact]
    public async Task AfterTheLastViewer_NothingIsSampledOrRecorded_AndTheNextOneStartsAnew()
    {
        using var pool = new NativeThreadPool(new NativeThreadPoolOptions { Name = "quiet" });
        await using TestApp app = await TestApp.StartAsync();
        Assert.False(app.Sampler.IsObserving);
        SampleStream first = await app.OpenStreamAsync(), second = await app.OpenStreamAsync();
        await first.ReadSampleAsync();
        await second.ReadSampleAsync();
        Assert.Equal(2, app.Sampler.ViewerCount);
        Assert.True(await Deadline.For(RecordsAsync()));

        first.Dispose();
        Deadline.Until(() => app.Sampler.ViewerCount == 1);
        Assert.True(app.Sampler.IsObserving);
        second.Dispose();
        Deadline.Until(() => app.Sampler.ViewerCount == 0);
        Assert.False(app.Sampler.IsObserving);
        Assert.Equal(0, app.TimerCount);
        Assert.False(await Deadline.For(RecordsAsync()));
        app.Pass(10 * TestApp.Second);
        Assert.Equal(1, app.Sampler.SampleCount);

        using SampleStream next = await app.OpenStreamAsync();
        Assert.Equal(2, Sequence(await next.ReadSampleAsync()));

        Task<bool> RecordsAsync() => pool.Run(static () => Diagnostics.ThreadObserver.RecordsItem);
    }

    [Fact]
    public async Task ViewerThatFallsBehind_GetsTheNewestSample()
    {
        await using TestApp app = await TestApp.StartAsync();
        using Sampling.Viewer viewer = app.Sampler.TryJoin(1)!;
        for (int i = 0; i < 5; i++)
        {
            app.Pass(TestApp.Second);
        }

        Assert.True(viewer.TryRead(out Sampling.PublishedSample? sample));
        Assert.Equal(6, sample.Sequence);
        Assert.False(viewer.TryRead(out _));
    }

    [Fact]
    public async Task ViewersBeyondTheLimit_GetNeitherStreamNorSnapshot_UntilOneHasLeft()
    {
        await using TestApp app = await TestApp.StartAsync(static options => options.MaxViewers = 2);
        SampleStream first = await app.OpenStreamAsync();
        using SampleStream second = await app.OpenStreamAsync();
        await first.ReadSampleAsync();
        await second.ReadSampleAsync();
        foreach (string path in (string[])["stream", "snapshot"])
        {
            using HttpResponseMessage refused = await app.GetAsync($"/threads/api/v1/{path}");
            Assert.Equal(System.Net.HttpStatusCode.ServiceUnavailable, refused.StatusCode);
            Assert.NotNull(refused.Headers.RetryAfter);
            Assert.True(refused.Headers.CacheControl!.NoStore);
        }

        Assert.Equal(2, app.Sampler.ViewerCount);
        first.Dispose();
        Deadline.Until(() => app.Sampler.ViewerCount == 1);
        using SampleStream next = await app.OpenStreamAsync();
        await next.ReadSampleAsync();
    }

    [Fact]
    public async Task TimeLimitForAllRequests_DoesNotEndTheStream()
    {
        await using TestApp app = await TestApp.StartAsync(
            Environments.Development,
            static app =>
            {
                app.UseRequestTimeouts();
                app.MapNativeThreading(configure: TestApp.NoHistory);
                app.MapGet("/limited", static (HttpContext context) => Task.Delay(Timeout.Infinite, context.RequestAborted));
            },
            static services => services.AddRequestTimeouts(static options => options.DefaultPolicy = new() { Timeout = TimeSpan.FromMilliseconds(20) }));
        using SampleStream stream = await app.OpenStreamAsync();
        await stream.ReadSampleAsync();
        for (int sample = 2; sample < 5; sample++)
        {
            // This request started after the stream, and its time is over. The timers of the first one and of the stream may be due together.
            using HttpResponseMessage limited = await app.GetAsync("/limited");
            Assert.Equal(System.Net.HttpStatusCode.GatewayTimeout, limited.StatusCode);
            app.Pass(TestApp.Second);
            Assert.Equal(sample, Sequence(await stream.ReadSampleAsync()));
        }
    }

    [Fact]
    public async Task OutputCacheForAllRequests_StoresNothing_AndKeepsNoViewerWaiting()
    {
        await using TestApp app = await TestApp.StartAsync(
            Environments.Development,
            static app =>
            {
                app.UseOutputCache();
                app.MapNativeThreading(configure: TestApp.NoHistory).CacheOutput(); // even so
                app.MapGet("/cached", static () => Guid.NewGuid());
            },
            static services => services.AddOutputCache(static options => options.AddBasePolicy(static policy => policy.Cache())));
        Assert.Equal(await ReadAsync("/cached"), await ReadAsync("/cached"));
        Assert.NotEqual(await ReadAsync("/threads"), await ReadAsync("/threads")); // each has its own nonce
        Assert.NotEqual(await ReadAsync("/threads/api/v1/snapshot"), await ReadAsync("/threads/api/v1/snapshot"));
        using SampleStream first = await app.OpenStreamAsync();
        using SampleStream second = await app.OpenStreamAsync();
        await first.ReadSampleAsync();
        await second.ReadSampleAsync();

        async Task<string> ReadAsync(string path)
        {
            using HttpResponseMessage response = await app.GetAsync(path);
            return await Deadline.For(response.EnsureSuccessStatusCode().Content.ReadAsStringAsync());
        }
    }

    /// <summary>The system grows the buffer of a connection to megabytes, and the viewer's time begins only when that is full.</summary>
    [Fact]
    public async Task SendBufferOfAViewer_IsBounded()
    {
        using var connection = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
        await using TestApp app = await TestApp.StartAsync(Environments.Development, app =>
        {
            app.Use((context, next) =>
            {
                context.Features.Set<IConnectionSocketFeature>(new SocketFeature(connection));
                return next(context);
            });
            app.UseRouting();
            app.MapNativeThreading(configure: TestApp.NoHistory);
        });
        connection.SendBufferSize = 1_000_000;
        Assert.True(connection.SendBufferSize > 100_000);
        using SampleStream stream = await app.OpenStreamAsync();
        await stream.ReadSampleAsync();
        Assert.InRange(connection.SendBufferSize, 1, 64 * 1024);
    }

    [Fact]
    public async Task ViewerThatDoesNotRead_IsDropped()
    {
        using var aborted = new ManualResetEventSlim();
        await using TestApp app = await TestApp.StartAsync(Environments.Development, app =>
        {
            app.Use((context, next) =>
            {
                if (context.Request.Headers.ContainsKey("Stuck"))
                {
                    context.Response.Body = new StuckStream();
                    context.RequestAborted.Register(aborted.Set);
                }

                return next(context);
            });
            app.UseRouting();
            app.MapNativeThreading(configure: static options => (options.History, options.WriteTimeout) = (TimeSpan.Zero, TimeSpan.FromMilliseconds(50)));
        });
        using SampleStream other = await app.OpenStreamAsync();
        await other.ReadSampleAsync();
        await Assert.ThrowsAnyAsync<Exception>(() => app.GetAsync("/threads/api/v1/stream", ("Stuck", "1")));
        Deadline.Wait(aborted);
        Deadline.Until(() => app.Sampler.ViewerCount == 1);
        app.Pass(TestApp.Second);
        Assert.Equal(2, Sequence(await other.ReadSampleAsync())); // the other streams continue
    }

    [Fact]
    public async Task Streams_EndWithTheApplication()
    {
        await using TestApp app = await TestApp.StartAsync();
        using SampleStream stream = await app.OpenStreamAsync();
        await stream.ReadSampleAsync();
        Task stopped = app.StopAsync();
        await stream.ReadToEndAsync();
        await stopped;
        Assert.False(app.Sampler.IsObserving);
    }

    private static long Sequence(JsonElement sample) => sample.GetProperty("sequence").GetInt64();

    private sealed record SocketFeature(Socket Socket) : IConnectionSocketFeature;

    /// <summary>A connection whose other end does not read.</summary>
    private sealed class StuckStream : MemoryStream
    {
        public override async ValueTask WriteAsync(ReadOnlyMemory<byte> buffer, CancellationToken cancellationToken = default) =>
            await Task.Delay(Timeout.InfiniteTimeSpan, cancellationToken);
    }
}
