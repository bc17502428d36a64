using System.Text.Json;

namespace NativeThreading.Dashboard.Json;

/// <summary>A pool as JSON.</summary>
internal static class PoolJson
{
    public static void Write(Utf8JsonWriter json, PoolSample pool)
    {
        json.WriteNumber("id", pool.Id);
        json.WriteString("name", pool.Name);
        json.WriteString("state", pool.State);
        json.WriteNumber("minThreads", pool.MinThreads);
        json.WriteNumber("maxThreads", pool.MaxThreads);
        json.WriteNumber("maxBlockedThreads", pool.MaxBlockedThreads);
        json.WriteNumber("maxRescueThreads", pool.MaxRescueThreads);
        SampleJson.Write(json, "queueLimit", pool.QueueLimit);

        json.WriteStartObject("threads");
        json.WriteNumber("running", pool.Threads.Running);
        json.WriteNumber("blocked", pool.Threads.Blocked);
        json.WriteNumber("parked", pool.Threads.Parked);
        json.WriteNumber("reserve", pool.Threads.Reserve);
        json.WriteNumber("longRunning", pool.Threads.LongRunning);
        json.WriteEndObject();
        json.WriteNumber("rescueThreads", pool.RescueThreads);

        json.WriteStartObject("queue");
        json.WriteNumber("length", pool.Queue.Length);
        SampleJson.Write(json, "oldest", pool.Queue.Oldest);
        json.WriteEndObject();

        json.WriteNumber("completed", pool.Completed);
        SampleJson.Write(json, "perSecond", pool.PerSecond);
        json.WriteNumber("replacements", pool.Replacements);
        json.WriteNumber("rescues", pool.Rescues);
        json.WriteNumber("refusals", pool.Refusals);
        json.WriteNumber("steals", pool.Steals);
        json.WriteNumber("wakes", pool.Wakes);
        Write(json, pool.Latency);
        SampleJson.WriteAll(json, "workers", pool.Workers, Write);
    }

    private static void Write(Utf8JsonWriter json, LatencySample? latency)
    {
        if (latency is null)
        {
            json.WriteNull("latency");
            return;
        }

        json.WriteStartObject("latency");
        json.WriteNumber("p50", latency.P50);
        json.WriteNumber("p99", latency.P99);
        json.WriteNumber("p999", latency.P999);
        json.WriteStartArray("bounds");
        foreach (double bound in latency.Bounds)
        {
            json.WriteNumberValue(bound);
        }

        json.WriteEndArray();
        json.WriteStartArray("counts");
        foreach (long count in latency.Counts)
        {
            json.WriteNumberValue(count);
        }

        json.WriteEndArray();
        json.WriteEndObject();
    }

    private static void Write(Utf8JsonWriter json, WorkerSample worker)
    {
        json.WriteString("name", worker.Name);
        json.WriteString("state", worker.State);
        SampleJson.Write(json, "since", worker.Since);
        json.WriteBoolean("atLeast", worker.AtLeast);
        SampleJson.Write(json, worker.Item);
        json.WriteString("waitsIn", worker.WaitsIn);
        json.WriteNumber("completed", worker.Completed);
    }
}
