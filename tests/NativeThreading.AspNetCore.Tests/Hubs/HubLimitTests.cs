using System.Net;
using System.Text;
using System.Text.Json;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Connections;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using NativeThreading.AspNetCore.Tests.Support;
using NativeThreading.Tests.Support;

namespace NativeThreading.AspNetCore.Tests.Hubs;

/// <summary>Connections are no work of the pool; its limit, its end, and what cannot be isolated.</summary>
public sealed class HubLimitTests
{
    private readonly HubRecord _record = new();

    [Fact]
    public async Task FullQueue_FailsTheCallWithAText_AndNeitherTheConnectionNorTheEndOfOne()
    {
        await using TestApp app = await StartAsync(reports: options => (options.MaxThreads, options.MaxBlockedThreads, options.QueueLimit) = (1, 0, 1));
        await using HubClient first = await HubClient.ConnectAsync(app.Address, "/hub");
        Assert.Equal("reports", await first.CallAsync("Place")); // OnConnectedAsync has given its place back
        await using HubClient second = await HubClient.ConnectAsync(app.Address, "/hub");
        Assert.Equal("reports", await second.CallAsync("Place"));

        using (new BlockedWorkers(app.Reports, app.Reports.MaxThreads))
        {
            await first.BeginAsync("Place");
            Deadline.Until(() => app.Reports.PendingWorkItemCount == 1);

            string refused = await second.CallAsync("Place"); // while every worker is blocked

            Assert.Contains("HubException: The server is busy and did not start this call", refused, StringComparison.Ordinal);
            Assert.DoesNotContain("reports", refused, StringComparison.Ordinal);

            await using HubClient third = await HubClient.ConnectAsync(app.Address, "/hub");
            JsonElement closed = await third.NextAsync();
            Assert.Equal(7, HubClient.Type(closed));
            Assert.Contains("The server is busy and did not start this call", closed.GetProperty("error").GetString(), StringComparison.Ordinal);

            second.Abort();
            Deadline.Until(() => app.Reports.PendingWorkItemCount == 2); // its OnDisconnectedAsync, beyond the limit
        }

        Assert.Equal("reports", HubClient.Outcome(await first.NextAsync()));
        await Deadline.For(_record.Disconnected.Task);
        Assert.Equal("reports", await first.CallAsync("Place"));
    }

    [Fact]
    public async Task CallInTheQueue_OfAPoolThatATokenStops_FailsWithTheHubsText()
    {
        await using TestApp app = await StartAsync(reports: options => (options.MaxThreads, options.MaxBlockedThreads) = (1, 0));
        await using HubClient client = await HubClient.ConnectAsync(app.Address, "/hub");
        await client.CallAsync("Place");
        using (new BlockedWorkers(app.Reports, 1))
        {
            await client.BeginAsync("Place");
            Deadline.Until(() => app.Reports.PendingWorkItemCount == 1);
            Assert.Equal(1, await Deadline.For(app.Reports.ShutdownAsync(new CancellationToken(canceled: true))));
            Assert.Contains("HubException: The server is busy", HubClient.Outcome(await client.NextAsync()), StringComparison.Ordinal);
        }
    }

    [Fact]
    public async Task CallOfAClientThatHasGone_FreesItsPlaceAtOnce_AndIsNotBegun()
    {
        await using TestApp app = await StartAsync(reports: options => (options.MaxThreads, options.MaxBlockedThreads, options.QueueLimit) = (1, 0, 1));
        await using HubClient client = await HubClient.ConnectAsync(app.Address, "/hub");
        await client.CallAsync("Place");

        using (new BlockedWorkers(app.Reports, app.Reports.MaxThreads))
        {
            await client.BeginAsync("Slow", 1);
            Deadline.Until(() => app.Reports.PendingWorkItemCount == 1);
            Assert.False(app.Reports.TryQueueUserWorkItem(static _ => { }, null));

            client.Abort();

            Deadline.Until(() => app.Reports.TryQueueUserWorkItem(static _ => { }, null));
        }

        await Deadline.For(_record.Disconnected.Task);
        Assert.DoesNotContain("begin 1", _record.Notes);
    }

    [Fact]
    public async Task ConnectionOfAClientThatHasGone_NeitherBeginsNorEnds()
    {
        using var isFreeAgain = new ManualResetEventSlim();
        await using TestApp app = await StartAsync(reports: options => (options.MaxThreads, options.MaxBlockedThreads, options.QueueLimit) = (1, 0, 1));
        using (new BlockedWorkers(app.Reports, app.Reports.MaxThreads))
        {
            await using HubClient client = await HubClient.ConnectAsync(app.Address, "/hub");
            Deadline.Until(() => app.Reports.PendingWorkItemCount == 1);
            client.Abort();
            Deadline.Until(() => app.Reports.TryQueueUserWorkItem(_ => isFreeAgain.Set(), null));
        }

        Deadline.Wait(isFreeAgain); // else the next connection is refused
        await using (HubClient next = await HubClient.ConnectAsync(app.Address, "/hub"))
        {
            Assert.Equal("reports", await next.CallAsync("Place"));
        }

        await Deadline.For(_record.Disconnected.Task);
        Assert.Equal(["connected reports", "connected reports", "disconnected reports", "disconnected reports"], _record.Notes);
    }

    [Fact]
    public async Task T147_OpenConnections_AreNoWorkOfThePool()
    {
        await using TestApp app = await StartAsync();
        await using HubClient client = await HubClient.ConnectAsync(app.Address, "/hub");
        await client.CallAsync("Place");

        // With the connection as one of its operations, this would wait for it.
        Assert.Equal(0, await Deadline.For(app.Reports.ShutdownAsync(CancellationToken.None)));

        Assert.Contains("The server is busy and did not start this call", await client.CallAsync("Place"), StringComparison.Ordinal);
        client.Abort();
        await Deadline.For(_record.Disconnected.Task);
    }

    [Fact]
    public async Task T113_CallsInFlight_EndOnThePool_WhenTheApplicationStops()
    {
        TestApp app = await StartAsync();
        await using HubClient client = await HubClient.ConnectAsync(app.Address, "/hub");
        await client.BeginAsync("Slow", 1);
        await Deadline.For(_record.Started.WaitAsync());

        Task stop = Task.Run(() => app.Services.GetRequiredService<IHost>().StopAsync()); // SignalR blocks there for its connections
        Deadline.Until(() => app.Services.GetRequiredService<IHostApplicationLifetime>().ApplicationStopping.IsCancellationRequested);
        _record.Release.SetResult();

        await Deadline.For(stop);
        Assert.Contains("end 1", _record.Notes);
        Assert.Contains("disconnected reports", _record.Notes);
        await app.DisposeAsync();
    }

    [Fact]
    public async Task LongPolling_RunsItsCallsOnThePool_AndItsRequestsDoNot()
    {
        await using TestApp app = await StartAsync();
        using HttpResponseMessage negotiated = await app.Client.PostAsync(new Uri("/hub/negotiate?negotiateVersion=1", UriKind.Relative), null);
        string id = JsonDocument.Parse(await negotiated.Content.ReadAsStringAsync()).RootElement.GetProperty("connectionToken").GetString()!;
        var connection = new Uri($"/hub?id={id}", UriKind.Relative);

        using HttpResponseMessage open = await app.Client.GetAsync(connection); // the first poll answers at once
        Assert.Equal(HttpStatusCode.OK, open.StatusCode);
        await PostAsync("""{"protocol":"json","version":1}""");
        await PostAsync("""{"type":1,"invocationId":"1","target":"Place","arguments":[]}""");

        string answers = "";
        while (!answers.Contains("\"invocationId\":\"1\"", StringComparison.Ordinal))
        {
            answers += await Deadline.For(app.Client.GetStringAsync(connection));
        }

        Assert.Contains("\"result\":\"reports\"", answers, StringComparison.Ordinal);
        Deadline.Until(() => app.Reports.PendingWorkItemCount == 0, "nothing is left behind");
        using HttpResponseMessage ended = await app.Client.DeleteAsync(connection);
        await Deadline.For(_record.Disconnected.Task);

        async Task PostAsync(string message)
        {
            using var content = new StringContent(message + "\u001e", Encoding.UTF8);
            using HttpResponseMessage response = await Deadline.For(app.Client.PostAsync(connection, content));
            Assert.Equal(HttpStatusCode.OK, response.StatusCode);
        }
    }

    [Fact]
    public async Task ConnectionHandler_IsRefusedAtStart()
    {
        var refused = await Assert.ThrowsAsync<InvalidOperationException>(async () =>
        {
            await using TestApp app = await StartAsync(app => app.MapConnectionHandler<NoHandler>("/raw").RunOnNativeThreadPool("reports"));
        });
        Assert.Contains("/raw", refused.Message, StringComparison.Ordinal);
        Assert.Contains("SwitchTo", refused.Message, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task UnknownPool_EndsTheStart(bool ofAMethod)
    {
        var refused = await Assert.ThrowsAsync<InvalidOperationException>(async () =>
        {
            await using TestApp app = await StartAsync(app =>
            {
                if (ofAMethod)
                {
                    app.MapHub<LostMethodHub>("/lost");
                }
                else
                {
                    app.MapHub<PlaceHub>("/lost").RunOnNativeThreadPool("nowhere");
                }
            });
        });
        Assert.Contains("\"nowhere\"", refused.Message, StringComparison.Ordinal);
        Assert.Contains(ofAMethod ? "LostMethodHub.Lost" : "/lost", refused.Message, StringComparison.Ordinal);
    }

    private Task<TestApp> StartAsync(Action<WebApplication>? configure = null, Action<NativeThreadPoolOptions>? reports = null) => TestApp.StartKestrelAsync(
        configure ?? (app => app.MapHub<PlaceHub>("/hub").RunOnNativeThreadPool("reports")),
        services =>
        {
            services.AddSingleton(_record);
            services.AddSignalR();
            services.AddConnections();
        },
        reports);

    private sealed class NoHandler : ConnectionHandler
    {
        public override Task OnConnectedAsync(ConnectionContext connection) => Task.CompletedTask;
    }
}
