using System.Net.WebSockets;
using System.Text;
using System.Text.Json;
using NativeThreading.Tests.Support;

namespace NativeThreading.AspNetCore.Tests.Hubs;

/// <summary>A client of a hub: SignalR's JSON protocol over a WebSocket. The real client's package does not restore here.</summary>
internal sealed class HubClient : IAsyncDisposable
{
    private const byte Separator = 0x1E;

    private readonly ClientWebSocket _socket = new();
    private readonly MemoryStream _received = new();
    private readonly byte[] _buffer = new byte[4096];
    private int _lastId;

    private HubClient()
    {
    }

    public static async Task<HubClient> ConnectAsync(Uri server, string path)
    {
        var client = new HubClient();
        await Deadline.For(client._socket.ConnectAsync(new UriBuilder(server) { Scheme = "ws", Path = path }.Uri, CancellationToken.None));
        await client.SendAsync("""{"protocol":"json","version":1}""");
        Assert.Equal("{}", (await client.NextAsync()).GetRawText());
        return client;
    }

    /// <summary>Asks, and does not wait for the answer; returns the number of the call.</summary>
    public async Task<string> BeginAsync(string method, params object[] arguments)
    {
        string id = $"{++_lastId}";
        await SendAsync(JsonSerializer.Serialize(new { type = 1, invocationId = id, target = method, arguments }));
        return id;
    }

    public async Task<string> BeginStreamAsync(string method, params object[] arguments)
    {
        string id = $"{++_lastId}";
        await SendAsync(JsonSerializer.Serialize(new { type = 4, invocationId = id, target = method, arguments }));
        return id;
    }

    /// <summary>Asks, and returns the result or "error: " and its text.</summary>
    public async Task<string> CallAsync(string method, params object[] arguments)
    {
        string id = await BeginAsync(method, arguments);
        JsonElement answer = await NextAsync();
        Assert.Equal((3, id), (Type(answer), answer.GetProperty("invocationId").GetString()));
        return Outcome(answer);
    }

    /// <summary>The items of a stream, and its error if it ends with one.</summary>
    public async Task<List<string>> StreamAsync(string method, params object[] arguments)
    {
        var items = new List<string>();
        await BeginStreamAsync(method, arguments);
        for (JsonElement message = await NextAsync(); ; message = await NextAsync())
        {
            if (Type(message) == 3)
            {
                return message.TryGetProperty("error", out _) ? [.. items, Outcome(message)] : items;
            }

            items.Add(message.GetProperty("item").ToString());
        }
    }

    /// <summary>The next message that is no ping.</summary>
    public async Task<JsonElement> NextAsync()
    {
        while (true)
        {
            JsonElement message = await Deadline.For(ReceiveAsync(), "a message of the hub");
            if (message.ValueKind == JsonValueKind.Undefined || Type(message) != 6)
            {
                return message;
            }
        }
    }

    public static string Outcome(JsonElement completion) =>
        completion.TryGetProperty("error", out JsonElement error) ? $"error: {error.GetString()}"
        : completion.TryGetProperty("result", out JsonElement result) ? result.ToString()
        : "";

    public static int Type(JsonElement message) => message.TryGetProperty("type", out JsonElement type) ? type.GetInt32() : 0;

    public Task SendAsync(string message) => Deadline.For(
        _socket.SendAsync(new ArraySegment<byte>([.. Encoding.UTF8.GetBytes(message), Separator]), WebSocketMessageType.Text, true, CancellationToken.None));

    /// <summary>Goes away without a word.</summary>
    public void Abort() => _socket.Abort();

    public async ValueTask DisposeAsync()
    {
        if (_socket.State == WebSocketState.Open)
        {
            try
            {
                await Deadline.For(_socket.CloseOutputAsync(WebSocketCloseStatus.NormalClosure, null, CancellationToken.None));
            }
            catch (WebSocketException)
            {
                // The server was first.
            }
        }

        _socket.Dispose();
        await _received.DisposeAsync();
    }

    /// <summary>Default where the server has closed.</summary>
    private async Task<JsonElement> ReceiveAsync()
    {
        while (true)
        {
            byte[] received = _received.ToArray();
            int end = Array.IndexOf(received, Separator);
            if (end >= 0)
            {
                _received.SetLength(0);
                _received.Write(received.AsSpan(end + 1));
                return JsonDocument.Parse(received.AsMemory(0, end)).RootElement;
            }

            WebSocketReceiveResult result = await _socket.ReceiveAsync(_buffer, CancellationToken.None);
            if (result.MessageType == WebSocketMessageType.Close)
            {
                return default;
            }

            _received.Write(_buffer, 0, result.Count);
        }
    }
}
