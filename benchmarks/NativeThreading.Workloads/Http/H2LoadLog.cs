using System.Globalization;

namespace NativeThreading.Workloads.Http;

/// <summary>The log of nghttp2's h2load: a line for each request, with when it began, its status, and how long it took; in microseconds.</summary>
internal static class H2LoadLog
{
    /// <exception cref="MeasurementException">A request was not answered as it should be.</exception>
    public static HttpLoadResult Parse(IEnumerable<string> lines, TimeSpan window)
    {
        var latencies = new Percentiles(lines.Select(Milliseconds));
        return new HttpLoadResult(latencies.Count, window.TotalSeconds, latencies.At(0.5), latencies.At(0.99), latencies.At(0.999));
    }

    private static double Milliseconds(string line) =>
        line.Split('\t') is [_, "200", var text] && double.TryParse(text, CultureInfo.InvariantCulture, out double microseconds)
            ? microseconds / 1000
            : throw new MeasurementException($"h2load: a request ended as '{line}'.");
}
