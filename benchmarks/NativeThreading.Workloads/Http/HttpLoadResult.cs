using System.Globalization;
using System.Text.Json;

namespace NativeThreading.Workloads.Http;

/// <summary>What a load generator saw in its window: answers, and the time from request to answer.</summary>
internal sealed record HttpLoadResult(long Answers, double Seconds, double P50Milliseconds, double P99Milliseconds, double P999Milliseconds)
{
    /// <summary>The share of the time in which some request waited for long; 0 of a generator that does not look at that.</summary>
    public double Stalled { get; init; }

    /// <summary>One line of JSON, as the generators print it; times in microseconds.</summary>
    /// <exception cref="MeasurementException">Requests failed: the rest was not measured under the same load. Or the line is none of these.</exception>
    public static HttpLoadResult Parse(string line)
    {
        try
        {
            using JsonDocument json = JsonDocument.Parse(line);
            return Of(json.RootElement, line);
        }
        catch (Exception e) when (e is JsonException or KeyNotFoundException or InvalidOperationException)
        {
            throw new MeasurementException($"a load generator has printed '{line}', which is no result: {e.Message}");
        }
    }

    /// <summary>The line that <see cref="Parse"/> reads, of a generator that has kept every latency.</summary>
    /// <param name="microseconds">One for each answer, in any order.</param>
    /// <param name="window">How long it asked.</param>
    /// <param name="errors">Requests that failed.</param>
    /// <param name="stalled">The share of the time in which some request waited for long.</param>
    public static string Line(IEnumerable<double> microseconds, TimeSpan window, long errors = 0, double stalled = 0)
    {
        Percentiles times = new(microseconds);
        return string.Create(
            CultureInfo.InvariantCulture,
            $$"""{"answers":{{times.Count}},"us":{{window.TotalMicroseconds:0}},"p50":{{times.At(0.5):0}},"p99":{{times.At(0.99):0}},"p999":{{times.At(0.999):0}},"errors":{{errors}},"stalled":{{stalled:0.0000}}}""");
    }

    /// <summary>The same line, of a generator that counts its answers and measures no latencies.</summary>
    public static string LineOfCount(long answers, TimeSpan window) => string.Create(
        CultureInfo.InvariantCulture, $$"""{"answers":{{answers}},"us":{{window.TotalMicroseconds:0}},"p50":0,"p99":0,"p999":0,"errors":0}""");

    private static HttpLoadResult Of(JsonElement json, string line)
    {
        if (json.GetProperty("errors").GetInt64() is > 0 and long errors)
        {
            throw new MeasurementException($"{errors} requests failed: {line}");
        }

        double seconds = json.GetProperty("us").GetDouble() / 1e6;
        long answers = json.GetProperty("answers").GetInt64();

        // A client without any answer waited longer than the window; the wait counts as that long.
        return answers == 0
            ? new HttpLoadResult(0, seconds, seconds * 1000, seconds * 1000, seconds * 1000)
            : new HttpLoadResult(answers, seconds, Milliseconds("p50"), Milliseconds("p99"), Milliseconds("p999"))
            {
                Stalled = json.TryGetProperty("stalled", out JsonElement stalled) ? stalled.GetDouble() : 0,
            };

        double Milliseconds(string percentile) => json.GetProperty(percentile).GetDouble() / 1000;
    }
}
