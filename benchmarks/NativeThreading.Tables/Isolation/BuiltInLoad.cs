using System.Diagnostics;
using System.Globalization;
using NativeThreading.Tables.Processes;

namespace NativeThreading.Tables.Isolation;

/// <summary>Where wrk is missing: HttpClient, in another process of this program. It takes more CPU from the server.</summary>
internal sealed class BuiltInLoad : IHttpLoad
{
    /// <summary>The first argument of that process.</summary>
    public const string Command = "http-load";

    /// <summary>Its last argument where each request has a connection of its own.</summary>
    public const string Closes = "closes";

    public string Name => "wrk was not found (apt-get install -y wrk), load by the built-in client, which takes more CPU from the server";

    public Task<HttpLoadResult> RunAsync(Uri target, int connections, TimeSpan window, bool closes = false) => LoadProcess.RunAsync(
        ThisProgram.Path,
        ThisProgram.With(
            [Command, target.AbsoluteUri, connections.ToString(CultureInfo.InvariantCulture), RunOnce.Seconds(window), .. closes ? [Closes] : Array.Empty<string>()]),
        window);

    /// <summary>In that process: loads the server, and prints the result.</summary>
    public static int Answer(Uri target, int connections, TimeSpan window, bool closes)
    {
        using var client = new HttpClient(new SocketsHttpHandler
        {
            MaxConnectionsPerServer = connections,
            SslOptions = { RemoteCertificateValidationCallback = static (_, certificate, _, _) => certificate?.Subject == "CN=localhost" },
        });
        client.DefaultRequestHeaders.ConnectionClose = closes;
        long began = Stopwatch.GetTimestamp();
        Task<(List<double> Latencies, int Errors)>[] loops =
            [.. Enumerable.Range(0, connections).Select(_ => LoopAsync(client, target, began, window))];
        double[] latencies = [.. loops.SelectMany(loop => loop.Result.Latencies).Order()];
        Console.WriteLine(string.Create(
            CultureInfo.InvariantCulture,
            $$"""{"answers":{{latencies.Length}},"us":{{window.TotalMicroseconds:0}},"p50":{{At(latencies, 0.5):0}},"p99":{{At(latencies, 0.99):0}},"errors":{{loops.Sum(l => l.Result.Errors)}}}"""));
        return 0;
    }

    private static double At(double[] sorted, double share) => sorted.Length == 0 ? 0 : sorted[(int)Math.Min(sorted.Length * share, sorted.Length - 1)];

    private static async Task<(List<double> Latencies, int Errors)> LoopAsync(HttpClient client, Uri target, long began, TimeSpan window)
    {
        var latencies = new List<double>();
        int errors = 0;
        using var end = new CancellationTokenSource(window);
        while (Stopwatch.GetElapsedTime(began) < window)
        {
            long sent = Stopwatch.GetTimestamp();
            try
            {
                using HttpResponseMessage answer = await client.GetAsync(target, end.Token).ConfigureAwait(false);
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
