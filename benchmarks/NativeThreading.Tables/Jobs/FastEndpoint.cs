using System.Diagnostics;
using System.Net;
using System.Net.Sockets;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.Extensions.Logging;

namespace NativeThreading.Tables.Jobs;

/// <summary>A Kestrel endpoint that answers at once, and a client on a thread and a blocking socket of its own, which needs no pool.</summary>
internal sealed class FastEndpoint : IAsyncDisposable
{
    private static readonly TimeSpan s_pause = TimeSpan.FromMilliseconds(1);
    private static readonly byte[] s_request = "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"u8.ToArray();

    private readonly WebApplication _app;
    private readonly Socket _socket = new(SocketType.Stream, ProtocolType.Tcp) { NoDelay = true };

    private FastEndpoint(WebApplication app) => _app = app;

    public static async Task<FastEndpoint> StartAsync()
    {
        WebApplicationBuilder builder = WebApplication.CreateSlimBuilder();
        builder.Logging.ClearProviders();
        builder.WebHost.ConfigureKestrel(kestrel => kestrel.Listen(IPAddress.Loopback, 0));
        WebApplication app = builder.Build();
        app.MapGet("/", () => "fast");
        await app.StartAsync();
        var endpoint = new FastEndpoint(app);
        var address = new Uri(app.Urls.Single());
        endpoint._socket.Connect(IPAddress.Loopback, address.Port);
        return endpoint;
    }

    /// <summary>The p99 of its answers in milliseconds; one that is on its way at the end counts for as long as it was.</summary>
    public double Measure(TimeSpan window)
    {
        var times = new List<double>();
        byte[] answer = new byte[4096];
        long began = Stopwatch.GetTimestamp();
        var client = new Thread(() =>
        {
            for (TimeSpan left = window; left > TimeSpan.Zero; left = window - Stopwatch.GetElapsedTime(began))
            {
                long sent = Stopwatch.GetTimestamp();
                _socket.Send(s_request);
                _socket.ReceiveTimeout = (int)Math.Max(1, left.TotalMilliseconds);
                try
                {
                    // One answer of some two hundred bytes comes as one segment.
                    if (_socket.Receive(answer) == 0)
                    {
                        throw new MeasurementException("the endpoint has closed its connection.");
                    }
                }
                catch (SocketException late) when (late.SocketErrorCode == SocketError.TimedOut)
                {
                    times.Add(Stopwatch.GetElapsedTime(sent).TotalMilliseconds);
                    return;
                }

                times.Add(Stopwatch.GetElapsedTime(sent).TotalMilliseconds);
                Thread.Sleep(s_pause);
            }
        });
        client.Start();
        client.Join();
        times.Sort();
        return times[(int)Math.Min(times.Count * 0.99, times.Count - 1)];
    }

    public async ValueTask DisposeAsync()
    {
        _socket.Dispose();
        await _app.DisposeAsync();
    }
}
