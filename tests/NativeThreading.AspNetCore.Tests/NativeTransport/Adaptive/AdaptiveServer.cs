using Microsoft.AspNetCore.Builder;
using NativeThreading.Kestrel;
using NativeThreading.Tests.Support;

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

    /// <summary>
    /// Asks until the transport has reported that this endpoint left the loops. On a busy machine the code outside of endpoints may leave them first; then all
    /// requests run on the pool until that code has returned, and only then is the endpoint measured again.
    /// </summary>
    public async Task AskUntilSentBackAsync(string path, int patience)
    {
        bool IsReported() => Server.Records.Texts(TransportRecords.SentBack).Any(text => text.Contains($"'HTTP: GET {path}'", StringComparison.Ordinal));

        for (int i = 0; i < patience && !IsReported(); i++)
        {
            await GetAsync(path);
        }

        Deadline.Until(IsReported, $"{path} leaves the loops"); // it is reported when the handler returns, after its answer
    }

    public async ValueTask DisposeAsync()
    {
        Client.Dispose();
        await Server.DisposeAsync();
    }
}
