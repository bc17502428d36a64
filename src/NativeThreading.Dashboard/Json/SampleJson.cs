using System.Text.Json;
using NativeThreading.Hosting;

namespace NativeThreading.Dashboard.Json;

/// <summary>Samples as JSON, written by hand: no reflection, and none of the flags for it that the framework's generator names.</summary>
internal static class SampleJson
{
    public static byte[] Of(Sample sample) => Written(json =>
    {
        json.WriteStartObject();
        json.WriteNumber("version", sample.Version);
        json.WriteNumber("sequence", sample.Sequence);
        json.WriteString("time", sample.Time);
        json.WriteNumber("interval", sample.Interval);
        Write(json, sample.Process);
        WriteAll(json, "verdicts", sample.Verdicts, Write);
        Write(json, sample.RuntimePool);
        WriteAll(json, "pools", sample.Pools, PoolJson.Write);
        WriteAll(json, "loops", sample.Loops, Write);
        json.WriteEndObject();
    });

    public static byte[] Of(StacksSample stacks) => Written(json =>
    {
        json.WriteStartObject();
        json.WriteNumber("version", stacks.Version);
        json.WriteString("time", stacks.Time);
        WriteAll(json, "threads", stacks.Threads, Write);
        json.WriteEndObject();
    });

    /// <summary>An array of objects.</summary>
    public static void WriteAll<T>(Utf8JsonWriter json, string name, IReadOnlyList<T> values, Action<Utf8JsonWriter, T> write)
    {
        json.WriteStartArray(name);
        foreach (T value in values)
        {
            json.WriteStartObject();
            write(json, value);
            json.WriteEndObject();
        }

        json.WriteEndArray();
    }

    /// <summary>A number, or null where it is not known.</summary>
    public static void Write(Utf8JsonWriter json, string name, double? value)
    {
        if (value is { } known)
        {
            json.WriteNumber(name, known);
        }
        else
        {
            json.WriteNull(name);
        }
    }

    /// <summary>What a worker runs, or null.</summary>
    public static void Write(Utf8JsonWriter json, ItemSample? item)
    {
        if (item is null)
        {
            json.WriteNull("item");
            return;
        }

        json.WriteStartObject("item");
        json.WriteString("name", item.Name);
        json.WriteString("type", item.Type);
        json.WriteString("method", item.Method);
        json.WriteNumber("running", item.Running);
        json.WriteEndObject();
    }

    private static void Write(Utf8JsonWriter json, ProcessSample process)
    {
        json.WriteStartObject("process");
        json.WriteString("name", process.Name);
        json.WriteNumber("id", process.Id);
        json.WriteNumber("processors", process.Processors);
        Write(json, "cpu", process.Cpu);
        json.WriteString("machine", process.Machine);
        json.WriteString("pod", process.Pod);
        json.WriteBoolean("inContainer", process.InContainer);
        json.WriteString("version", process.Version);
        json.WriteString("libraryVersion", process.LibraryVersion);
        json.WriteNumber("uptime", Math.Round(process.Uptime));
        Write(json, "quota", process.Quota);
        json.WriteString("core", process.Core);
        json.WriteEndObject();
    }

    private static void Write(Utf8JsonWriter json, RuntimePoolSample pool)
    {
        json.WriteStartObject("runtimePool");
        json.WriteNumber("threads", pool.Threads);
        json.WriteNumber("minThreads", pool.MinThreads);
        json.WriteNumber("pending", pool.Pending);
        json.WriteNumber("completed", pool.Completed);
        Write(json, "perSecond", pool.PerSecond);
        json.WriteEndObject();
    }

    private static void Write(Utf8JsonWriter json, LoopSample loop)
    {
        json.WriteNumber("id", loop.Id);
        json.WriteString("name", loop.Name);
        json.WriteNumber("pending", loop.Pending);
        Write(json, "turnsPerSecond", loop.TurnsPerSecond);
        Write(json, "longestTurn", loop.LongestTurn);
        Write(json, "busy", loop.Busy);
        json.WriteNumber("timers", loop.Timers);
        json.WriteNumber("descriptors", loop.Descriptors);
    }

    private static void Write(Utf8JsonWriter json, ThreadSample thread)
    {
        json.WriteString("pool", thread.Pool);
        json.WriteString("name", thread.Name);
        json.WriteString("state", thread.State);
        Write(json, thread.Item);
        json.WriteString("waitsIn", thread.WaitsIn);
    }

    private static void Write(Utf8JsonWriter json, Verdict verdict)
    {
        json.WriteString("subject", verdict.Subject);
        json.WriteString("subjectId", verdict.SubjectId);
        json.WriteString("text", verdict.Text);
        json.WriteString("since", verdict.Since.UtcDateTime);
        WriteAll(json, "conditions", verdict.Conditions, static (json, condition) =>
        {
            json.WriteString("id", condition.Id);
            json.WriteString("text", condition.Text);
            json.WriteString("since", condition.Since.UtcDateTime);
            json.WriteString("remedy", condition.Remedy);
        });
    }

    /// <summary>What <paramref name="write"/> writes, as UTF-8.</summary>
    public static byte[] Written(Action<Utf8JsonWriter> write)
    {
        using var buffer = new MemoryStream();
        using (var json = new Utf8JsonWriter(buffer))
        {
            write(json);
        }

        return buffer.ToArray();
    }
}
