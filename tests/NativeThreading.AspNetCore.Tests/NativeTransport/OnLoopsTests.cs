using System.Net;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using NativeThreading.AspNetCore.Tests.Support;
using NativeThreading.Kestrel;
using NativeThreading.Tests.Support;

namespace NativeThreading.AspNetCore.Tests.NativeTransport;

/// <summary>Applications that run on the loops.</summary>
[NeedsNativeCore(NeedsNativeCoreAttribute.Descriptors)]
public sealed class OnLoopsTests
{
    [Fact]
    public async Task HandlersThatBlock_HoldUpNobodyElse()
    {
        const int Blocked = 20;
        using var gate = new CountdownEvent(Blocked + 1);
        await using NativeServer server = await ServeAsync(app => app.MapGet("/", () =>
        {
            gate.Signal();
            Assert.True(gate.Wait(Deadline.Time)); // until the last one has come, over the same loop
            return "together";
        }));
        RawClient[] clients = [.. await Task.WhenAll(Enumerable.Range(0, Blocked + 1).Select(_ => server.ConnectAsync()))];

        string[] answers = await Deadline.For(Task.WhenAll(clients.Select(client => client.GetAsync("/", "together"))));

        Assert.All(answers, static answer => Assert.StartsWith("HTTP/1.1 200 OK", answer, StringComparison.Ordinal));
        Array.ForEach(clients, static client => client.Dispose());
    }

    [Fact]
    public async Task HandlerThatWaitsForWhatItsLoopDoes_IsAnswered()
    {
        await using NativeServer server = await ServeAsync(app => app.MapGet("/", () => ComesBackAsync().Result));
        using RawClient client = await server.ConnectAsync();

        Assert.StartsWith("HTTP/1.1 200 OK", await client.GetAsync("/", Where.Loop), StringComparison.Ordinal);

        static async Task<string> ComesBackAsync()
        {
            await Task.Yield();
            return Where.AmI;
        }
    }

    [Fact]
    public async Task HandlerThatThrows_EndsItsRequest_AndNoOther()
    {
        await using NativeServer server = await ServeAsync(app => app.MapGet("/{fails:bool}", (bool fails) =>
            fails ? throw new InvalidDataException("expected") : "served"));
        using RawClient client = await server.ConnectAsync();

        Assert.StartsWith("HTTP/1.1 500", await client.GetAsync("/true", "\r\n\r\n"), StringComparison.Ordinal);
        Assert.StartsWith("HTTP/1.1 200", await client.GetAsync("/false", "served"), StringComparison.Ordinal);
    }

    [Fact]
    public async Task SlowEndpoint_MayRunOnAPool_AndComesBackToItsLoop()
    {
        await using NativeServer server = await ServeAsync(app =>
        {
            app.MapGet("/slow", () => Where.AmI).RunOnNativeThreadPool("requests");
            app.MapGet("/", () => Where.AmI);
        });
        using RawClient client = await server.ConnectAsync();

        for (int i = 0; i < 3; i++)
        {
            await client.GetAsync("/slow", "requests");
            await client.GetAsync("/", Where.Loop);
        }
    }

    [Fact]
    public async Task HandlersThatNeverReturn_DoNotKeepTheServerFromEnding_AndOneWarningSaysHowMany()
    {
        const int Blocked = 3;
        using var gate = new ManualResetEventSlim();
        using var started = new CountdownEvent(Blocked);
        using var returned = new CountdownEvent(Blocked);
        NativeServer server = await ServeAsync(app =>
        {
            app.MapGet("/", () => "served");
            app.MapGet("/block", () =>
            {
                started.Signal();
                gate.Wait(2 * Deadline.Time);
                returned.Signal();
            });
        });
        using (RawClient served = await server.ConnectAsync())
        {
            await served.GetAsync("/", "served"); // it has ended by then, and is not counted
        }

        RawClient[] clients = [.. await Task.WhenAll(Enumerable.Range(0, Blocked).Select(_ => server.ConnectAsync()))];
        await Task.WhenAll(clients.Select(static client => client.SendAsync("GET /block HTTP/1.1\r\nHost: x\r\n\r\n")));
        Deadline.Wait(started);

        await server.AbandonAsync();

        Assert.False(gate.IsSet);
        Assert.StartsWith($"{Blocked} connections ", Assert.Single(server.Records.Texts(TransportRecords.LeftBehind)), StringComparison.Ordinal);
        gate.Set();
        Deadline.Wait(returned);
        Array.ForEach(clients, static client => client.Dispose());
    }

    [Fact]
    public async Task HandlersThatReturnInTime_AreNotLeftBehind()
    {
        NativeServer server = await ServeAsync(app => app.MapGet("/", () => "served"));
        using RawClient client = await server.ConnectAsync();
        await client.GetAsync("/", "served");

        await server.AbandonAsync();

        Assert.Equal(0, server.Records.Count(TransportRecords.LeftBehind));
    }

    private static Task<NativeServer> ServeAsync(Action<WebApplication> map) => NativeServer.ServeAsync(map, options =>
    {
        options.LoopCount = 1;
        options.Requests = NativeTransportRequests.Loops;
    });
}
