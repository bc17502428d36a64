using System.Globalization;
using NativeThreading.Tables.Harness;

namespace NativeThreading.Tables.Echo;

/// <summary>The notes to the numbers: how they were measured, and how they compare with the loop's targets.</summary>
internal static class EchoNotes
{
    private const double OfEpoll = 0.92, OfSocket = 1.4, CallsAboveEpoll = 0.1;

    public const string Cpu = "CPU time of the server's process, read by the load at both ends of its window";

    public static string Setting(CpuPair? cpus, EchoLoad load, PeerPrograms peers, string? callsNotCounted)
    {
        string libuv = peers.LibuvVersion is string version ? $"libuv {version}; " : "";
        string missing = peers.Missing is string m ? $"; {m}" : "";
        string where = cpus is null
            ? "neither server nor load pinned"
            : string.Create(CultureInfo.InvariantCulture, $"servers pinned to CPU {cpus.Server}, the load to CPU {cpus.Load}");
        return $"{libuv}{EchoLoad.MessageSize} bytes a message, one in flight a connection, windows of {load.WindowMilliseconds} ms, {where}{missing}"
            + (callsNotCounted is null ? "" : $"; system calls not counted, {callsNotCounted}");
    }

    /// <summary>Ratios of our messages a second, latencies, and how busy each process was: a server that waits for the load measures the load.</summary>
    public static string Messages(RowResult result, EchoRow row, int runs)
    {
        string[] servers = [Contender.Native, .. result.Peers.Keys];
        string latencies = string.Join(", ", servers.Select(s =>
            $"{s} {Micro(row.Median(s, runs, r => r.P50Nanoseconds))}/{Micro(row.Median(s, runs, r => r.P99Nanoseconds))}"));
        string busy = string.Join(", ", servers.Select(s =>
            $"{s} {Share(row.Median(s, runs, r => r.ServerCpuNanoseconds / r.Seconds))}/{Share(row.Median(s, runs, r => r.LoadCpuNanoseconds / r.Seconds))}"));
        return $"{row.Connections} connections: {Ratio(result, "epoll", OfEpoll)}, {Ratio(result, "socket", OfSocket)}; "
            + $"latency p50/p99 in us: {latencies}; CPUs used by server/load: {busy}";
    }

    public static string SystemCalls(RowResult result, int messages) => !result.Peers.TryGetValue("epoll", out Sample epoll) ? "" :
        string.Create(CultureInfo.InvariantCulture,
            $"{result.Native.Value - epoll.Value:+0.000;-0.000} a message against epoll (target: at most +{CallsAboveEpoll}: {Verdict(result.Native.Value - epoll.Value <= CallsAboveEpoll)}); ")
        + $"{messages} messages under strace -f -c, which slows the server down, so that a wait returns more than it does otherwise";

    private static string Ratio(RowResult result, string peer, double target)
    {
        if (!result.Peers.TryGetValue(peer, out Sample sample))
        {
            return $"{peer} is missing";
        }

        double ratio = result.Native.Value / sample.Value;
        return string.Create(CultureInfo.InvariantCulture, $"{ratio:0.00} x {peer} (target {target}: {Verdict(ratio >= target)})");
    }

    private static string Verdict(bool met) => met ? "met" : "missed";

    private static string Micro(double nanoseconds) => (nanoseconds / 1000).ToString("N0", CultureInfo.InvariantCulture);

    private static string Share(double nanosecondsASecond) => (nanosecondsASecond / 1e9).ToString("0.00", CultureInfo.InvariantCulture);
}
