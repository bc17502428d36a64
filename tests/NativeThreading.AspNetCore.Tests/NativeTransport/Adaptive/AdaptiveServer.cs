using Microsoft.AspNetCore.Builder;
using NativeThreading.Kestrel;

namespace NativeThreading.AspNetCore.Tests.NativeTransport.Adaptive;

/// <summary>A server with one loop that learns, and a client of it.</summary>
internal sealed class AdaptiveServer : IAsyncDisposable
{
    public const string LastChunk = ">\r\n0\r\n\r\n";

    private const int Patience = 5_000; // requests, within which a machine that is busy with other things gives thirty calls in a row their time

    private AdaptiveServer(NativeServer server, RawClient client) => (Server, Client) = (server, client);

    public NativeServer Server { get; }

    public RawClient Client { get; }

    public static async Task<AdaptiveServer> StartAsync(
        Action<WebApplication> map, string? pool = null, NativeTransportRequests requests = NativeTransportRequests.Adaptive)
    {
        NativeServer server = await NativeServer.ServeAsync(
            map, options => (options.LoopCount, options.PoolName, options.Requests) = (1, pool, requests));
        return new AdaptiveServer(server, await server.ConnectAsync());
    }

    /// <summary>What the handler says.</summary>
    public async Task<string> GetAsync(string path) => Text(await Client.GetAsync(path, LastChunk));

    public static string Text(string answer)
    {
        Assert.StartsWith("HTTP/1.1 200 OK", answer, StringComparison.Ordinal);
        return answer[answer.IndexOf('<')..(answer.IndexOf('>') + 1)];
    }

    /// <summary>Asks until the handler says that it runs there, at most so many times.</summary>
    public async Task AskUntilAsync(string path, string place, int patience = Patience)
    {
        string last = "";
        for (int i = 0; i < patience; i++)
        {
            if ((last = await GetAsync(path)) == place)
            {
                return;
            }
        }

        Assert.Fail($"{path} has not run on {place} within {patience} requests, but on {last}.");
    }

    public async ValueTask DisposeAsync()
    {
        Client.Dispose();
        await Server.DisposeAsync();
    }
}
