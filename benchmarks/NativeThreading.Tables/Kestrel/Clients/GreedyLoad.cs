using System.Diagnostics;
using System.Net.Sockets;
using NativeThreading.Tables.Isolation;
using NativeThreading.Workloads.Http;

namespace NativeThreading.Tables.Kestrel.Clients;

/// <summary>A client that sends as many requests as its one connection takes, and waits for no answer before the next: one thread sends, another one
/// receives. In another process of this program. It counts answers, and no latencies.</summary>
internal sealed class GreedyLoad : IHttpLoad
{
    /// <summary>The first argument of that process.</summary>
    public const string Command = "greedy-load";

    private const int RequestsInBatch = 512, BufferSize = 256 * 1024;

    public string Name => "the built-in client";

    public Task<HttpLoadResult> RunAsync(LoadOrder order) => LoadProcess.RunHereAsync(order, Command);

    /// <summary>In that process: loads the server, and prints the result.</summary>
    public static int Answer(LoadOrder order)
    {
        using Socket socket = ClientSocket.Connect(order.Target);
        var answers = new PipelinedAnswers(ClientSocket.Ask(socket, order.Target));
        byte[] batch = [.. Enumerable.Repeat(ClientSocket.Request(order.Target), RequestsInBatch).SelectMany(static bytes => bytes)];
        bool isOver = false;
        long began = Stopwatch.GetTimestamp();
        var sender = new Thread(() => SendUntil(ref isOver, socket, batch));
        sender.Start();
        long count = Receive(socket, answers, began, order.Window);
        Volatile.Write(ref isOver, true);
        socket.Close(0); // the server may have a million requests left
        sender.Join();
        Console.WriteLine(HttpLoadResult.LineOfCount(count, order.Window));
        return 0;
    }

    /// <summary>An end of the connection before that is an error, which ends the process.</summary>
    private static void SendUntil(ref bool isOver, Socket socket, byte[] batch)
    {
        try
        {
            while (!Volatile.Read(ref isOver))
            {
                ClientSocket.SendAll(socket, batch);
            }
        }
        catch (Exception exception) when (exception is SocketException or ObjectDisposedException && Volatile.Read(ref isOver))
        {
            // As it was configured.
        }
    }

    private static long Receive(Socket socket, PipelinedAnswers answers, long began, TimeSpan window)
    {
        byte[] buffer = new byte[BufferSize];
        long count = 0;
        for (TimeSpan left = window; left > TimeSpan.Zero; left = window - Stopwatch.GetElapsedTime(began))
        {
            if (socket.Poll(left, SelectMode.SelectRead))
            {
                int received = socket.Receive(buffer);
                count += received > 0 ? answers.Count(buffer.AsSpan(0, received)) : throw new MeasurementException("the server has ended the greedy connection.");
            }
        }

        return count;
    }
}
