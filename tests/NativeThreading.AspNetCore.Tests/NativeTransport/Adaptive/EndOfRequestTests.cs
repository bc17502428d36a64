using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using NativeThreading.AspNetCore.Tests.Support;
using NativeThreading.Kestrel;
using NativeThreading.Tests.Support;

namespace NativeThreading.AspNetCore.Tests.NativeTransport.Adaptive;

/// <summary>Where Kestrel ends a request, and begins the next one.</summary>
[NeedsNativeCore(NeedsNativeCoreAttribute.Descriptors)]
public sealed class EndOfRequestTests
{
    private const int Requests = 100;

    /// <param name="comesBack">Whether the handler's await does.</param>
    /// <param name="end">Where the request ends then.</param>
    [Theory]
    [InlineData(true, Where.Loop)]
    [InlineData(false, Where.Runtime)]
    public async Task Request_EndsWhereItsHandlerHasCome_AndTheNextOneBeginsOnTheLoop(bool comesBack, string end)
    {
        string ended = "";
        await using AdaptiveServer server = await AdaptiveServer.StartAsync(app => app.MapGet("/", async (HttpContext context) =>
        {
            string started = Where.AmI;
            context.Response.OnCompleted(() =>
            {
                ended = Where.AmI;
                return Task.CompletedTask;
            });
            await LeaveAsync().ConfigureAwait(comesBack);
            await context.Response.WriteAsync($"<{started}, {ended}>").ConfigureAwait(comesBack); // where the one before has ended
        }).WithMetadata(new InlineAttribute()));
        await server.AskUntilAsync("/", $"<{Where.Loop}, {end}>");

        Task sent = server.Client.SendAsync(string.Concat(Enumerable.Repeat("GET / HTTP/1.1\r\nHost: x\r\n\r\n", Requests)) + "GET /nowhere HTTP/1.1\r\nHost: x\r\n\r\n");
        string answers = await server.Client.ReadThroughAsync("404");
        await sent;

        // On a crowded machine the loop may be taken over in the middle of a request. The rule holds for all others.
        string[] told = [.. answers.Split('<')[1..].Select(static answer => answer[..answer.IndexOf('>')])];
        string[] others = [.. told.Where(answer => answer != $"{Where.Loop}, {end}")];
        Assert.Equal(Requests, told.Length);
        Assert.True(others.Length <= Requests / 10, string.Join("; ", others));
    }

    /// <summary>The thread of the one that blocks has no loop any more, and the next request is there already.</summary>
    [Theory]
    [InlineData(NativeTransportRequests.Adaptive)]
    [InlineData(NativeTransportRequests.Loops)]
    public async Task RequestBehindOneThatBlocks_BeginsOnTheLoop(NativeTransportRequests requests)
    {
        await using AdaptiveServer server = await AdaptiveServer.StartAsync(
            app =>
            {
                app.MapGet("/blocks", () => Deadline.Until(() => EventLoop.Current is null, "another thread takes the loop over")).WithMetadata(new InlineAttribute());
                app.MapGet("/", () => Places.Mine);
            },
            requests: requests);
        await server.AskUntilAsync("/", Places.Loop);

        for (int i = 0; i < 3; i++)
        {
            await server.Client.SendAsync("GET /blocks HTTP/1.1\r\nHost: x\r\n\r\nGET / HTTP/1.1\r\nHost: x\r\n\r\n");
            string answers = await server.Client.ReadThroughAsync(AdaptiveServer.LastChunk);
            Assert.Contains(Places.Loop, answers, StringComparison.Ordinal);
        }
    }

    /// <summary>
    /// Completes on the built-in pool, and not before the loop has left the caller. A handler that has come to its end while the loop was
    /// still in its call, because the loop's thread lost its processor there, ends its request on the loop, and rightly so.
    /// </summary>
    private static Task LeaveAsync()
    {
        var left = new TaskCompletionSource(); // continues in place
        SynchronizationContext.Current!.Post(_ => ThreadPool.UnsafeQueueUserWorkItem(static left => left.SetResult(), left, preferLocal: false), null);
        return left.Task;
    }
}
