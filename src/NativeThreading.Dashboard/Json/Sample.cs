using NativeThreading.Hosting;

namespace NativeThreading.Dashboard.Json;

// The JSON of docs/guides/observe.md, version 1. Times are in milliseconds and waits in microseconds. Whatever is not known is null.
// A property may be added within a version; a change of meaning is a new version.

internal sealed record Sample(
    int Version,
    long Sequence,
    DateTime Time,
    double Interval,
    ProcessSample Process,
    IReadOnlyList<Verdict> Verdicts,
    RuntimePoolSample RuntimePool,
    IReadOnlyList<PoolSample> Pools,
    IReadOnlyList<LoopSample> Loops);

internal sealed record ProcessSample(
    string Name,
    int Id,
    int Processors,
    double? Cpu,
    string Machine,
    string? Pod,
    bool InContainer,
    string? Version,
    string? LibraryVersion,
    double Uptime,
    double? Quota,
    string Core);

internal sealed record RuntimePoolSample(int Threads, int MinThreads, long Pending, long Completed, double? PerSecond);

internal sealed record PoolSample(
    int Id,
    string Name,
    string State,
    int MinThreads,
    int MaxThreads,
    int MaxBlockedThreads,
    int MaxRescueThreads,
    int? QueueLimit,
    ThreadCounts Threads,
    int RescueThreads,
    QueueSample Queue,
    long Completed,
    double? PerSecond,
    long Replacements,
    long Rescues,
    long Refusals,
    long Steals,
    long Wakes,
    LatencySample? Latency,
    IReadOnlyList<WorkerSample> Workers);

internal sealed record ThreadCounts(int Running, int Blocked, int Parked, int Reserve, int LongRunning);

internal sealed record QueueSample(long Length, double? Oldest);

internal sealed record LatencySample(
    double P50, double P99, double P999, IReadOnlyList<double> Bounds, IReadOnlyList<long> Counts);

internal sealed record WorkerSample(string Name, string State, double? Since, bool AtLeast, ItemSample? Item, string? WaitsIn, long Completed);

internal sealed record ItemSample(string? Name, string Type, string Method, double Running);

internal sealed record LoopSample(
    int Id, string Name, long Pending, double? TurnsPerSecond, double? LongestTurn, double? Busy, int Timers, int Descriptors);

internal sealed record StacksSample(int Version, DateTime Time, IReadOnlyList<ThreadSample> Threads);

internal sealed record ThreadSample(string Pool, string Name, string State, ItemSample? Item, string? WaitsIn);
