using System.Globalization;
using NativeThreading.Tables.Harness;
using NativeThreading.Tables.Isolation;

namespace NativeThreading.Tables.Kestrel;

/// <summary>HTTP/2 by nghttp2's h2load: several streams on each of a few connections. Its log has a line for each request.</summary>
internal static class H2Load
{
    public const int Streams = 4;

    /// <exception cref="MeasurementException">h2load is missing, failed, or did not end.</exception>
    public static async Task<HttpLoadResult> RunAsync(Uri target, int requestsAtOnce, TimeSpan window)
    {
        if (!PeerPrograms.IsInstalled("h2load"))
        {
            throw new MeasurementException("h2load was not found: apt-get install -y nghttp2-client, or choose other rows by --rows.");
        }

        string log = Path.GetTempFileName();
        try
        {
            await LoadProcess.OutputAsync(
                "h2load",
                [
                    "-c", Text(requestsAtOnce / Streams), "-m", Text(Streams), "-t", "1", "-D", Text((int)window.TotalSeconds),
                    "--log-file", log, target.AbsoluteUri,
                ],
                window).ConfigureAwait(false);
            return Result(File.ReadLines(log), window);
        }
        finally
        {
            File.Delete(log);
        }
    }

    /// <summary>A line: when the request began, its status, and how long it took; in microseconds.</summary>
    private static HttpLoadResult Result(IEnumerable<string> lines, TimeSpan window)
    {
        var latencies = new List<double>();
        foreach (string line in lines)
        {
            string[] fields = line.Split('\t');
            if (fields is not [_, "200", var microseconds])
            {
                throw new MeasurementException($"h2load: a request ended as '{line}'.");
            }

            latencies.Add(double.Parse(microseconds, CultureInfo.InvariantCulture) / 1000);
        }

        latencies.Sort();
        return new HttpLoadResult(latencies.Count, window.TotalSeconds, At(0.5), At(0.99));

        double At(double share) => latencies.Count == 0 ? 0 : latencies[(int)(latencies.Count * share)];
    }

    private static string Text(int number) => number.ToString(CultureInfo.InvariantCulture);
}
