using System.Diagnostics;
using System.Net.Sockets;
using NativeThreading.Tables.Isolation;
using NativeThreading.Workloads.Http;

namespace NativeThreading.Tables.Kestrel.Clients;

/// <summary>A client whose one connection repeats 98 requests that cost nothing and 2 that make their handler compute, to one endpoint or to several
/// in turn: in another process of this program. It counts answers, and no latencies.</summary>
internal sealed class UnevenLoad : IHttpLoad
{
    /// <summary>The first argument of that process.</summary>
    public const string Command = "uneven-load";

    private const int RequestsPerHeavyOne = 50;

    public string Name => "the built-in client";

    /// <summary>The target says for how long a heavy one computes, and the connections over how many endpoints they go.</summary>
    public Task<HttpLoadResult> RunAsync(LoadOrder order) => LoadProcess.RunHereAsync(order, Command);

    /// <summary>In that process: loads the server, and prints the result.</summary>
    public static int Answer(LoadOrder order)
    {
        int endpoints = order.Connections;
        byte[][] light = [.. Requests(order.Target, endpoints, "")];
        byte[][] heavy = [.. Requests(order.Target, endpoints, order.Target.Query)];
        using Socket socket = ClientSocket.Connect(order.Target);
        long began = Stopwatch.GetTimestamp();
        int count = 0;
        for (; Stopwatch.GetElapsedTime(began) < order.Window; count++)
        {
            int endpoint = (count + (count / RequestsPerHeavyOne)) % endpoints; // so that the heavy ones go round as well
            bool isHeavy = count % RequestsPerHeavyOne == RequestsPerHeavyOne - 1;
            ClientSocket.SendAll(socket, (isHeavy ? heavy : light)[endpoint]);
            ClientSocket.ReceiveUntil(socket, static bytes => PipelinedAnswers.LengthOf(bytes) == bytes.Length);
        }

        Console.WriteLine(HttpLoadResult.LineOfCount(count, order.Window));
        return 0;
    }

    private static IEnumerable<byte[]> Requests(Uri target, int endpoints, string query) =>
        Enumerable.Range(0, endpoints).Select(endpoint => ClientSocket.Request(new Uri(target, $"{target.AbsolutePath}/{endpoint}{query}")));
}
