using System.Text.Json;

namespace NativeThreading.Tables.Isolation;

/// <summary>What a load generator saw in its window: answers, and the time from request to answer.</summary>
internal sealed record HttpLoadResult(long Answers, double Seconds, double P50Milliseconds, double P99Milliseconds)
{
    /// <summary>One line of JSON, as both generators print it; times in microseconds.</summary>
    /// <exception cref="MeasurementException">Requests failed: the rest was not measured under the same load.</exception>
    public static HttpLoadResult Parse(string line)
    {
        JsonElement json = JsonDocument.Parse(line).RootElement;
        if (json.GetProperty("errors").GetInt64() is > 0 and long errors)
        {
            throw new MeasurementException($"{errors} requests failed: {line}");
        }

        double seconds = json.GetProperty("us").GetDouble() / 1e6;
        long answers = json.GetProperty("answers").GetInt64();

        // Whoever got no answer at all waited longer than the window; it counts as that long.
        return answers == 0
            ? new HttpLoadResult(0, seconds, seconds * 1000, seconds * 1000)
            : new HttpLoadResult(answers, seconds, json.GetProperty("p50").GetDouble() / 1000, json.GetProperty("p99").GetDouble() / 1000);
    }
}
