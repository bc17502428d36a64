using System.Diagnostics;
using System.Text.Json.Nodes;

namespace NativeThreading.Top;

/// <summary>Makes a sample of the page's JSON of what the metrics of a process say.</summary>
internal sealed class ProcessSampleMaker(int id)
{
    private readonly Process _process = Process.GetProcessById(id);
    private readonly ProcessVerdicts _verdicts = new();
    private (long Time, TimeSpan Cpu)? _last;
    private long _sequence;

    /// <summary>The next sample; <see langword="null"/> for the first collection, which knows no rates.</summary>
    public string? Next(Measurements measured)
    {
        DateTime now = DateTime.UtcNow;
        _process.Refresh();
        TimeSpan cpu = _process.TotalProcessorTime;
        (long Time, TimeSpan Cpu)? last = _last;
        _last = (Stopwatch.GetTimestamp(), cpu);
        JsonArray verdicts = _verdicts.Next(measured, now);
        if (last is not { } before)
        {
            return null;
        }

        double elapsed = Stopwatch.GetElapsedTime(before.Time).TotalSeconds;
        return new JsonObject
        {
            ["version"] = 1,
            ["sequence"] = ++_sequence,
            ["time"] = now,
            ["interval"] = Math.Round(1000 * elapsed),
            ["process"] = new JsonObject
            {
                ["name"] = Name(),
                ["id"] = id,
                ["processors"] = Environment.ProcessorCount,
                ["cpu"] = Math.Round((cpu - before.Cpu).TotalSeconds / elapsed, 3),
                ["machine"] = Environment.MachineName,
                ["uptime"] = Math.Round((now - _process.StartTime.ToUniversalTime()).TotalMilliseconds),
            },
            ["verdicts"] = verdicts,
            ["runtimePool"] = new JsonObject
            {
                ["threads"] = measured.OfRuntime("dotnet.thread_pool.thread.count")?.Value,
                ["minThreads"] = null,
                ["pending"] = measured.OfRuntime("dotnet.thread_pool.queue.length")?.Value,
                ["completed"] = measured.OfRuntime("dotnet.thread_pool.work_item.count")?.Value,
                ["perSecond"] = measured.OfRuntime("dotnet.thread_pool.work_item.count")?.Rate,
            },
            ["pools"] = new JsonArray([.. measured.Pools.Select(pool => OfPool(measured, pool))]),
            ["loops"] = new JsonArray(),
        }.ToJsonString();
    }

    /// <summary>Of a program that "dotnet" runs the assembly, where the system tells.</summary>
    private string Name()
    {
        string line = $"/proc/{id}/cmdline";
        string? assembly = _process.ProcessName == "dotnet" && File.Exists(line) ? Array.Find(File.ReadAllText(line).Split('\0'), static part => part.EndsWith(".dll", StringComparison.Ordinal)) : null;
        return assembly is null ? _process.ProcessName : Path.GetFileNameWithoutExtension(assembly);
    }

    private static JsonObject OfPool(Measurements measured, string name)
    {
        double all = measured.Of(name, "thread.count") ?? 0, active = measured.Of(name, "thread.active") ?? 0, blocked = measured.Of(name, "thread.blocked") ?? 0;
        return new JsonObject
        {
            ["id"] = null, // numbers and limits are not among the metrics
            ["name"] = name,
            ["threads"] = new JsonObject
            {
                ["running"] = active,
                ["blocked"] = blocked,
                ["parked"] = Math.Max(0, all - active - blocked), // idle or in reserve
                ["reserve"] = null,
                ["longRunning"] = measured.Of(name, "thread.long_running"),
            },
            ["queue"] = new JsonObject { ["length"] = measured.Of(name, "queue.length"), ["oldest"] = null },
            ["completed"] = measured.Of(name, "work_item.count"),
            ["perSecond"] = measured.RateOf(name, "work_item.count"),
            ["replacements"] = measured.RateOf(name, "thread.injected"),
            ["rescues"] = measured.RateOf(name, "thread.rescued"),
            ["refusals"] = measured.RateOf(name, "work_item.rejected"),
            ["steals"] = measured.RateOf(name, "steals"),
            ["wakes"] = measured.RateOf(name, "wakeups"),
            ["latency"] = measured.WaitOf(name, 0.99) is { } p99 ? new JsonObject { ["p50"] = 1e6 * measured.WaitOf(name, 0.5), ["p99"] = 1e6 * p99, ["p999"] = null } : null,
            ["workers"] = new JsonArray(),
        };
    }
}
