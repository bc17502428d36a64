using System.Net;
using Microsoft.AspNetCore.Builder;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;
using NativeThreading.AspNetCore.Tests.Hubs;
using NativeThreading.AspNetCore.Tests.Support;
using NativeThreading.Tests.Support;

namespace NativeThreading.AspNetCore.Tests.Requests;

/// <summary>Who looks into the log finds that a pool refuses: not each time, but how often.</summary>
public sealed class RejectionWarningTests : IDisposable
{
    private readonly ErrorRecords _log = new();
    private readonly SettableTime _time = new();

    public void Dispose() => _log.Dispose();

    [Fact]
    public async Task ManyRefusedRequests_AreOneWarning_AndTheNextTellsTheirNumber()
    {
        await using TestApp app = await TestApp.StartAsync(
            app =>
            {
                app.MapGet("/a", () => "").RunOnNativeThreadPool("reports");
                app.MapGet("/b", () => "").RunOnNativeThreadPool("reports");
                app.MapGet("/other", () => "").RunOnNativeThreadPool("other");
            },
            AddLog);
        await Deadline.For(app.Reports.ShutdownAsync(CancellationToken.None));
        await Deadline.For(app.Other.ShutdownAsync(CancellationToken.None));

        foreach (string path in new[] { "/a", "/b", "/a", "/other" })
        {
            await RefuseAsync(path);
        }

        _time.Advance(TimeSpan.FromSeconds(10));
        await RefuseAsync("/b");

        Assert.Equal([1, 1, 1], _log.OfThisLibrary.Select(record => record.Id));
        string[] texts = [.. _log.OfThisLibrary.Select(record => record.Text)];
        Assert.Equal("Request rejected with 503: the queue of pool 'reports' is full, or the pool is shutting down. To accept more requests, raise QueueLimit or MaxThreads.", texts[0]);
        Assert.StartsWith("Request rejected with 503: the queue of pool 'other' is full", texts[1], StringComparison.Ordinal);
        Assert.EndsWith(" 2 similar messages suppressed.", texts[2], StringComparison.Ordinal);

        async Task RefuseAsync(string path)
        {
            using HttpResponseMessage response = await app.SendAsync(path);
            Assert.Equal(HttpStatusCode.ServiceUnavailable, response.StatusCode);
        }
    }

    [Fact]
    public async Task RefusedCallsOfAHub_AreWarningsOfTheirOwn()
    {
        await using TestApp app = await TestApp.StartKestrelAsync(
            app => app.MapHub<PlaceHub>("/hub").RunOnNativeThreadPool("reports"),
            services =>
            {
                AddLog(services);
                services.AddSingleton(new HubRecord());
                services.AddSignalR();
            });
        await using HubClient client = await HubClient.ConnectAsync(app.Address, "/hub");
        await client.CallAsync("Place");
        await Deadline.For(app.Reports.ShutdownAsync(CancellationToken.None));

        await client.CallAsync("Place");
        await client.CallAsync("Place");

        (int id, string text) = Assert.Single(_log.OfThisLibrary);
        Assert.Equal(2, id);
        Assert.Equal("Hub call rejected with an error: the queue of pool 'reports' is full, or the pool is shutting down. To accept more calls, raise QueueLimit or MaxThreads.", text);
    }

    private void AddLog(IServiceCollection services) => services.AddSingleton<ILoggerProvider>(_log).AddSingleton<TimeProvider>(_time);

    private sealed class SettableTime : TimeProvider
    {
        private long _now;

        public override long TimestampFrequency => TimeSpan.TicksPerSecond;

        public override long GetTimestamp() => Volatile.Read(ref _now);

        public void Advance(TimeSpan time) => Interlocked.Add(ref _now, time.Ticks);
    }
}
