using System.Globalization;

namespace NativeThreading.Tables.Echo;

/// <summary>A CPU for the server and another one for the load, of those that this process may use. The runs differ no less for it, but they compare
/// the same thing: not pinned, the runtime's sockets use 1.2 CPUs of two, and take them from the load (a tenth more messages a second than pinned,
/// for a tenth more CPU time each).</summary>
internal sealed record CpuPair(int Server, int Load)
{
    /// <summary>Null where there is only one, or where the system does not tell.</summary>
    public static CpuPair? Find()
    {
        const string Key = "Cpus_allowed_list:";
        string? list = File.Exists("/proc/self/status")
            ? File.ReadLines("/proc/self/status").FirstOrDefault(l => l.StartsWith(Key, StringComparison.Ordinal))
            : null;

        // "0-3,6": the first and the last of it.
        int[] bounds = [.. (list ?? "").Replace(Key, "", StringComparison.Ordinal)
            .Split([',', '-'], StringSplitOptions.RemoveEmptyEntries | StringSplitOptions.TrimEntries)
            .Select(n => int.Parse(n, CultureInfo.InvariantCulture))];
        return bounds.Length > 1 ? new CpuPair(bounds[0], bounds[^1]) : null;
    }
}
