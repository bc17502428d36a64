using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.SignalR;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Options;
using NativeThreading.AspNetCore.Tests.Support;
using NativeThreading.Tests.Support;

namespace NativeThreading.AspNetCore.Tests.Hubs;

/// <summary>T147: each call of a hub runs on its pool, not only what a connection begins with.</summary>
public sealed class HubTests
{
    private readonly HubRecord _record = new();

    [Fact]
    public async Task T147_EveryCall_AndItsAwaits_RunOnThePool()
    {
        await using TestApp app = await StartAsync();
        await using HubClient client = await HubClient.ConnectAsync(app.Address, "/hub");

        for (int i = 0; i < 5; i++)
        {
            Assert.Equal("reports", await client.CallAsync("Place"));
            Assert.Equal("reports reports", await client.CallAsync("Places"));
        }
    }

    [Fact]
    public async Task ConnectingAndDisconnecting_RunOnThePool()
    {
        await using TestApp app = await StartAsync();
        await using (HubClient client = await HubClient.ConnectAsync(app.Address, "/hub"))
        {
            await client.CallAsync("Place");
        }

        await Deadline.For(_record.Disconnected.Task);
        Assert.Equal(["connected reports", "connected reports", "disconnected reports", "disconnected reports"], _record.Notes);
    }

    [Fact]
    public async Task Streams_RunOnThePool_ToTheirEnd()
    {
        await using TestApp app = await StartAsync();
        await using HubClient client = await HubClient.ConnectAsync(app.Address, "/hub");

        Assert.Equal(Enumerable.Repeat("reports", 10), await client.StreamAsync("Iterate", 5));
        Assert.Equal(Enumerable.Repeat("reports", 10), await client.StreamAsync("IterateLater", 5));
        Assert.Equal(["0", "1", "2"], await client.StreamAsync("Numbers", 3));
        Assert.Equal(Enumerable.Repeat("reports", 5), await client.StreamAsync("Channel", 5));
        Assert.Equal(["stream reports", "stream reports"], _record.Notes.Where(note => note.StartsWith("stream", StringComparison.Ordinal)));
    }

    [Fact]
    public async Task Stream_ThatTheClientCancels_EndsOnThePool()
    {
        await using TestApp app = await StartAsync();
        await using HubClient client = await HubClient.ConnectAsync(app.Address, "/hub");

        string id = await client.BeginStreamAsync("Iterate", int.MaxValue);
        await client.NextAsync();
        await client.SendAsync($$"""{"type":5,"invocationId":"{{id}}"}""");

        Deadline.Until(() => _record.Notes.Contains("stream reports"));
    }

    [Fact]
    public async Task Upload_IsReadOnThePool()
    {
        await using TestApp app = await StartAsync();
        await using HubClient client = await HubClient.ConnectAsync(app.Address, "/hub");

        await client.SendAsync("""{"type":1,"invocationId":"u","target":"Upload","arguments":[],"streamIds":["s"]}""");
        for (int i = 1; i <= 3; i++)
        {
            await client.SendAsync($$"""{"type":2,"invocationId":"s","item":{{i}}}""");
        }

        await client.SendAsync("""{"type":3,"invocationId":"s"}""");
        Assert.Equal("6 reports", HubClient.Outcome(await client.NextAsync()));
    }

    [Fact]
    public async Task Pool_OfAnAttribute_OrOfAGroup()
    {
        await using TestApp app = await StartAsync(app =>
        {
            app.MapHub<MarkedHub>("/marked");
            app.MapHub<PlaceHub>("/plain");
            app.MapGroup("/group").RunOnNativeThreadPool("other").MapHub<PlaceHub>("/hub");
            app.MapHub<MarkedHub>("/explicit").RunOnNativeThreadPool("other");
        });

        foreach ((string path, string place) in new[] { ("/marked", "reports"), ("/plain", Where.Runtime), ("/group/hub", "other"), ("/explicit", "other") })
        {
            await using HubClient client = await HubClient.ConnectAsync(app.Address, path);
            Assert.Equal(place, await client.CallAsync("Place"));
            Assert.Equal("other", await client.CallAsync("OfItsOwn")); // a method's own attribute goes before
        }
    }

    [Theory]
    [InlineData(1)]
    [InlineData(3)]
    public async Task Order_IsSignalRs(int parallel)
    {
        const int Calls = 20;
        await using TestApp app = await StartAsync(services: services => services.AddSignalR(hub => hub.MaximumParallelInvocationsPerClient = parallel));
        await using HubClient client = await HubClient.ConnectAsync(app.Address, "/hub");

        for (int i = 0; i < Calls; i++)
        {
            await client.BeginAsync("Slow", i);
        }

        for (int i = 0; i < parallel; i++)
        {
            await Deadline.For(_record.Started.WaitAsync());
        }

        _record.Release.SetResult();
        var answers = new List<int>();
        for (int i = 0; i < Calls; i++)
        {
            answers.Add(int.Parse(HubClient.Outcome(await client.NextAsync()), null));
        }

        string[] notes = [.. _record.Notes.Where(note => !note.StartsWith("connected", StringComparison.Ordinal))];
        Assert.Equal(Enumerable.Range(0, Calls), answers.Order());
        if (parallel == 1)
        {
            Assert.Equal(Enumerable.Range(0, Calls), answers);
            Assert.Equal(Enumerable.Range(0, Calls).SelectMany(i => new[] { $"begin {i}", $"end {i}" }), notes);
        }
        else
        {
            int running = 0;
            Assert.All(notes, note => Assert.InRange(running += note.StartsWith("begin", StringComparison.Ordinal) ? 1 : -1, 0, parallel));
        }
    }

    [Fact]
    public async Task Exceptions_ReachTheClientAsThrown()
    {
        await using TestApp app = await StartAsync();
        await using HubClient client = await HubClient.ConnectAsync(app.Address, "/hub");

        Assert.EndsWith("HubException: as thrown", await client.CallAsync("Throw"), StringComparison.Ordinal);
        Assert.Equal("reports", await client.CallAsync("Place"));
    }

    [Fact]
    public async Task FiltersOfTheApplication_RunOnThePool()
    {
        var filter = new PlaceFilter();
        await using TestApp app = await StartAsync(services: services =>
        {
            services.AddSignalR(hub => hub.AddFilter(filter));

            // As if it had been added before the pools.
            ServiceDescriptor last = services.Last(service => service.ServiceType == typeof(IConfigureOptions<HubOptions>));
            services.Remove(last);
            services.Insert(1, last);
        });
        await using HubClient client = await HubClient.ConnectAsync(app.Address, "/hub");

        Assert.Equal("reports", await client.CallAsync("Place"));
        Assert.Equal(["reports", "reports"], filter.Places);
    }

    private Task<TestApp> StartAsync(Action<WebApplication>? configure = null, Action<IServiceCollection>? services = null) => TestApp.StartKestrelAsync(
        configure ?? (app => app.MapHub<PlaceHub>("/hub").RunOnNativeThreadPool("reports")),
        collection =>
        {
            collection.AddSingleton(_record);
            collection.AddSignalR();
            services?.Invoke(collection);
        });

    private sealed class PlaceFilter : IHubFilter
    {
        public List<string> Places { get; } = [];

        public async ValueTask<object?> InvokeMethodAsync(HubInvocationContext invocationContext, Func<HubInvocationContext, ValueTask<object?>> next)
        {
            Places.Add(Where.AmI);
            object? result = await next(invocationContext);
            Places.Add(Where.AmI);
            return result;
        }
    }
}
