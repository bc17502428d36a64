using System.Net.WebSockets;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Routing;

namespace NativeThreading.KestrelServer;

/// <summary>Sends each message back.</summary>
internal static class WebSocketEcho
{
    private const int MostBytes = 1024;

    /// <summary>The middleware stands in front of this endpoint alone: the others are not to pay for it.</summary>
    public static void Map(WebApplication application)
    {
        IApplicationBuilder pipeline = ((IEndpointRouteBuilder)application).CreateApplicationBuilder();
        pipeline.UseWebSockets();
        pipeline.Run(EchoAsync);
        application.MapGet("/websocket", pipeline.Build());
    }

    private static async Task EchoAsync(HttpContext context)
    {
        using WebSocket socket = await context.WebSockets.AcceptWebSocketAsync().ConfigureAwait(false);
        byte[] buffer = new byte[MostBytes];
        try
        {
            while (true)
            {
                ValueWebSocketReceiveResult received = await socket.ReceiveAsync(buffer.AsMemory(), CancellationToken.None).ConfigureAwait(false);
                if (received.MessageType == WebSocketMessageType.Close)
                {
                    await socket.CloseOutputAsync(WebSocketCloseStatus.NormalClosure, null, CancellationToken.None).ConfigureAwait(false);
                    return;
                }

                await socket.SendAsync(
                    buffer.AsMemory(0, received.Count), received.MessageType, received.EndOfMessage, CancellationToken.None).ConfigureAwait(false);
            }
        }
        catch (WebSocketException)
        {
            // The client has gone while its last message was on its way back.
        }
    }
}
