using System.Diagnostics;
using System.Globalization;
using System.Reflection;
using NativeThreading.Dashboard.Json;

namespace NativeThreading.Dashboard.Sampling;

/// <summary>Which process this is: what does not change while it runs. Of the environment it reads the names of container and pod, and nothing else.</summary>
internal static class ProcessFacts
{
    private static readonly DateTime s_started = Started();
    private static readonly ProcessSample s_facts = new(
        "",
        Environment.ProcessId,
        Environment.ProcessorCount,
        Cpu: null,
        Environment.MachineName,
        Environment.GetEnvironmentVariable("POD_NAME") ?? (Environment.GetEnvironmentVariable("KUBERNETES_SERVICE_HOST") is null ? null : Environment.GetEnvironmentVariable("HOSTNAME")),
        Environment.GetEnvironmentVariable("DOTNET_RUNNING_IN_CONTAINER") is "true" or "1",
        VersionOf(Assembly.GetEntryAssembly()),
        VersionOf(typeof(NativeThreadPool).Assembly),
        Uptime: 0,
        Quota(),
        Core: "");

    public static ProcessSample Now(string name, double? cpu, DateTime now) => s_facts with
    {
        Name = name,
        Cpu = cpu,
        Uptime = Math.Max(0, (now - s_started).TotalMilliseconds),
        Core = NativeThreadPool.Core == ThreadingCore.Managed ? "managed" : "native",
    };

    private static DateTime Started()
    {
        using var process = Process.GetCurrentProcess();
        return process.StartTime.ToUniversalTime();
    }

    private static string? VersionOf(Assembly? assembly) => assembly?.GetCustomAttribute<AssemblyInformationalVersionAttribute>()?.InformationalVersion.Split('+')[0];

    /// <summary>The processors that the control group allows, <c>0.5</c> for half a processor; <see langword="null"/> without a limit.</summary>
    private static double? Quota()
    {
        try
        {
            string[] parts = File.ReadAllText("/sys/fs/cgroup/cpu.max").Split(' ');
            return double.TryParse(parts[0], CultureInfo.InvariantCulture, out double quota) && double.TryParse(parts[^1], CultureInfo.InvariantCulture, out double period)
                ? Math.Round(quota / period, 2)
                : null;
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException)
        {
            return null;
        }
    }
}
