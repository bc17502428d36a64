using System.Diagnostics;
using NativeThreading.Tables.Isolation;
using NativeThreading.Workloads.Http;

namespace NativeThreading.Tables.Kestrel.Clients;

/// <summary>WebSockets that each send a message, and the next one when it is back: in another process of this program, on one thread, by hand, so
/// that the load takes little from the server.</summary>
internal sealed class WebSocketLoad : IHttpLoad
{
    /// <summary>The first argument of that process.</summary>
    public const string Command = "websocket-load";

    public string Name => $"load by the built-in client, messages of {WebSocketMessage.Size} bytes";

    public Task<HttpLoadResult> RunAsync(LoadOrder order) => LoadProcess.RunHereAsync(order, Command);

    /// <summary>In that process: loads the server, and prints the result.</summary>
    public static int Answer(LoadOrder order)
    {
        WebSocketConnection[] connections = [.. Enumerable.Range(0, order.Connections).Select(_ => new WebSocketConnection(order.Target))];
        using var readable = new ReadableSockets([.. connections.Select(static connection => connection.Socket)]);
        var latencies = new List<double>();
        int[] ready = new int[order.Connections];
        long began = Stopwatch.GetTimestamp();
        foreach (WebSocketConnection connection in connections)
        {
            connection.Send();
        }

        for (TimeSpan left = order.Window; left > TimeSpan.Zero; left = order.Window - Stopwatch.GetElapsedTime(began))
        {
            foreach (int i in ready.AsSpan(0, readable.Wait(ready, left)))
            {
                if (connections[i].Receive() is double microseconds)
                {
                    latencies.Add(microseconds);
                    connections[i].Send();
                }
            }
        }

        Console.WriteLine(HttpLoadResult.Line(latencies, order.Window));
        foreach (WebSocketConnection connection in connections)
        {
            connection.Dispose();
        }

        return 0;
    }
}
