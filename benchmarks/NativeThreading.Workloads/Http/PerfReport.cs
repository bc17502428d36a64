using System.Globalization;

namespace NativeThreading.Workloads.Http;

/// <summary>What <c>perf stat -x ,</c> writes: for each event a line that begins with its count.</summary>
internal static class PerfReport
{
    public const string SystemCalls = "raw_syscalls:sys_enter";

    /// <summary>Null where perf could not count them.</summary>
    public static long? SystemCallsIn(string report) => report.Split('\n')
        .Select(static line => line.Split(','))
        .Where(static fields => fields.Contains(SystemCalls))
        .Select(static fields => long.TryParse(fields[0], CultureInfo.InvariantCulture, out long count) ? count : (long?)null)
        .FirstOrDefault();
}
