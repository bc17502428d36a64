using System.Diagnostics;
using System.Net.Sockets;
using NativeThreading.Tables.Isolation;
using NativeThreading.Workloads.Http;

namespace NativeThreading.Tables.Kestrel.Clients;

/// <summary>Requests at a fixed rate, whether or not earlier ones were answered: in another process of this program, on one thread. A latency begins
/// when its request was due, so a server that stands still for a second does not hide the requests that clients would have sent in it.</summary>
internal sealed class PacedLoad : IHttpLoad
{
    /// <summary>The first argument of that process.</summary>
    public const string Command = "paced-load";

    private const int RateOfConnection = 100; // requests a second

    public string Name => $"load by the built-in client, {RateOfConnection} requests a second on each connection, latencies from the time at which each was due";

    public Task<HttpLoadResult> RunAsync(LoadOrder order) => LoadProcess.RunHereAsync(order, Command);

    /// <summary>In that process: loads the server, and prints the result.</summary>
    public static int Answer(LoadOrder order)
    {
        PacedConnection[] connections = [.. Enumerable.Range(0, order.Connections).Select(_ => new PacedConnection(order.Target))];
        using var readable = new ReadableSockets([.. connections.Select(static connection => connection.Socket)]);
        TimeSpan interval = TimeSpan.FromSeconds(1) / (RateOfConnection * order.Connections);
        int[] ready = new int[order.Connections];
        var waits = new RequestWaits();
        long began = Stopwatch.GetTimestamp();
        int sent = 0;
        for (TimeSpan now = TimeSpan.Zero; now < order.Window; now = Stopwatch.GetElapsedTime(began))
        {
            for (; interval * sent <= now; sent++)
            {
                connections[sent % connections.Length].Ask(due: interval * sent);
            }

            foreach (int i in ready.AsSpan(0, readable.WaitPrecisely(ready, (interval * sent) - now)))
            {
                if (connections[i].Receive() is { } due)
                {
                    waits.Add(due, Stopwatch.GetElapsedTime(began));
                }
            }
        }

        foreach (TimeSpan due in connections.SelectMany(static connection => connection.Unanswered))
        {
            waits.Add(due, order.Window); // it has waited for that long at least
        }

        Console.WriteLine(waits.Line(order.Window));
        return 0;
    }

    /// <summary>One connection, whose requests wait for each other.</summary>
    private sealed class PacedConnection(Uri target)
    {
        private readonly byte[] _request = ClientSocket.Request(target);
        private readonly byte[] _buffer = new byte[16 * 1024];
        private readonly Queue<TimeSpan> _due = new(); // the first one is on its way
        private int _received;

        public Socket Socket { get; } = ClientSocket.Connect(target);

        public IEnumerable<TimeSpan> Unanswered => _due;

        public void Ask(TimeSpan due)
        {
            _due.Enqueue(due);
            if (_due.Count == 1)
            {
                ClientSocket.SendAll(Socket, _request);
            }
        }

        /// <summary>When there is something to read: when the request was due whose answer is whole now.</summary>
        public TimeSpan? Receive()
        {
            int count = Socket.Receive(_buffer.AsSpan(_received));
            _received += count > 0 ? count : throw new MeasurementException("the server has ended a connection.");
            if (PipelinedAnswers.LengthOf(_buffer.AsSpan(0, _received)) != _received)
            {
                return null;
            }

            _received = 0;
            TimeSpan due = _due.Dequeue();
            if (_due.Count != 0)
            {
                ClientSocket.SendAll(Socket, _request);
            }

            return due;
        }
    }
}
