using System.Diagnostics;
using NativeThreading.Workloads.Http;

namespace NativeThreading.Tables.Isolation;

/// <summary>Where wrk is missing: HttpClient, in another process of this program. It takes more CPU from the server.</summary>
internal sealed class BuiltInLoad : IHttpLoad
{
    /// <summary>The first argument of that process. Its target, connections, seconds and perhaps the last two follow.</summary>
    public const string Command = "http-load";

    /// <summary>Each request has a connection of its own.</summary>
    public const string Closes = "closes";

    /// <summary>Each request has a body.</summary>
    public const string Posts = "posts";

    private static readonly byte[] s_body = new byte[64];

    public string Name => "wrk was not found (apt-get install -y wrk), load by the built-in client, which takes more CPU from the server";

    public Task<HttpLoadResult> RunAsync(LoadOrder order)
    {
        if (order.Pipelined > 1)
        {
            throw new MeasurementException("the built-in client does not pipeline: apt-get install -y wrk");
        }

        return LoadProcess.RunHereAsync(order, Command, order.Closes ? Closes : "", order.Posts ? Posts : "");
    }

    /// <summary>In that process: loads the server, and prints the result.</summary>
    public static int Answer(LoadOrder order)
    {
        using var client = new HttpClient(new SocketsHttpHandler
        {
            MaxConnectionsPerServer = order.Connections,
            SslOptions = { RemoteCertificateValidationCallback = static (_, certificate, _, _) => certificate?.Subject == "CN=localhost" },
        });
        client.DefaultRequestHeaders.ConnectionClose = order.Closes;
        long began = Stopwatch.GetTimestamp();
        Task<(List<double> Latencies, int Errors)>[] loops = [.. Enumerable.Range(0, order.Connections).Select(_ => LoopAsync(client, order, began))];
        Console.WriteLine(HttpLoadResult.Line(loops.SelectMany(static loop => loop.Result.Latencies), order.Window, loops.Sum(static loop => loop.Result.Errors)));
        return 0;
    }

    private static async Task<(List<double> Latencies, int Errors)> LoopAsync(HttpClient client, LoadOrder order, long began)
    {
        var latencies = new List<double>();
        int errors = 0;
        using var end = new CancellationTokenSource(order.Window);
        while (Stopwatch.GetElapsedTime(began) < order.Window)
        {
            long sent = Stopwatch.GetTimestamp();
            try
            {
                using HttpContent? body = order.Posts ? new ByteArrayContent(s_body) : null;
                using HttpResponseMessage answer =
                    await (body is null ? client.GetAsync(order.Target, end.Token) : client.PostAsync(order.Target, body, end.Token)).ConfigureAwait(false);
                await answer.Content.ReadAsByteArrayAsync(end.Token).ConfigureAwait(false);
                latencies.Add(Stopwatch.GetElapsedTime(sent).TotalMicroseconds);
                errors += answer.IsSuccessStatusCode ? 0 : 1;
            }
            catch (OperationCanceledException) when (end.IsCancellationRequested)
            {
                break; // the window is over; wrk does not count what is on its way either
            }
            catch (HttpRequestException)
            {
                errors++;
            }
        }

        return (latencies, errors);
    }
}
