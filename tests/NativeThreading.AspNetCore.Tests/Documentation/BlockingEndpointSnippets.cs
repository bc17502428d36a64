using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.TestHost;
using Microsoft.Extensions.DependencyInjection;
using NativeThreading;
using NativeThreading.AspNetCore.Tests.Support;
using NativeThreading.Tests.Support;

namespace NativeThreading.AspNetCore.Tests.Documentation;

/// <summary>The code of docs/guides/isolate-a-blocking-endpoint.md, run: more requests block than there are threads, and a fast one is answered.</summary>
public sealed class BlockingEndpointSnippets : IDisposable
{
    private const int Clients = 8;

    private static readonly CountdownEvent s_entered = new(Clients);
    private static readonly ManualResetEventSlim s_release = new();

    [Fact]
    public async Task FastEndpointBesideBlockedOnes()
    {
        WebApplicationBuilder builder = WebApplication.CreateBuilder();
        builder.WebHost.UseTestServer();

        builder.Services.AddNativeThreadPool("reports", options =>
        {
            options.MaxThreads = 4;             // threads that compute at once
            options.MaxBlockedThreads = 50;     // threads that wait in the driver: as many as it has connections
            options.QueueLimit = 200;           // requests that wait for a thread: the next one gets 503
        }).AddHealthCheck();

        await using WebApplication app = builder.Build();
        app.MapGet("/ping", () => "pong");                                                      // the built-in pool, as before
        app.MapGet("/report/{id}", (int id) => OldDriver.Query(id)).RunOnNativeThreadPool("reports");

        app.MapGet("/export/{id}", (int id) =>
        {
            using (NativeThreadPool.EnterBlockingRegion())
            {
                return OldDriver.Query(id);
            }
        }).RunOnNativeThreadPool("reports");

        await Deadline.For(app.StartAsync());
        HttpClient client = app.GetTestClient();
        Task<string>[] slow = [.. Enumerable.Range(0, Clients).Select(id => GetAsync(client, id % 2 == 0 ? $"/report/{id}" : $"/export/{id}"))];

        // Every one of them holds a thread, which takes more than MaxThreads of them.
        Deadline.Wait(s_entered);
        Assert.Equal("pong", await Deadline.For(GetAsync(client, "/ping")));
        Assert.DoesNotContain(slow, request => request.IsCompleted);

        s_release.Set();
        string[] answers = await Deadline.For(Task.WhenAll(slow));
        Assert.Equal(Enumerable.Range(0, Clients).Select(id => $"{id} on reports"), answers);
        await Deadline.For(app.StopAsync());
    }

    public void Dispose() => s_release.Set();

    private static Task<string> GetAsync(HttpClient client, string path) => client.GetStringAsync(new Uri(path, UriKind.Relative));

    private static class OldDriver
    {
        public static string Query(int id)
        {
            s_entered.Signal();
            s_release.Wait(Deadline.Time);
            return $"{id} on {Where.AmI}";
        }
    }
}
