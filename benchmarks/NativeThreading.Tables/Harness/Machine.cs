using System.Collections;
using System.Diagnostics;
using System.Globalization;
using System.Reflection;
using System.Runtime;
using System.Runtime.InteropServices;

namespace NativeThreading.Tables.Harness;

/// <summary>The conditions on which numbers depend, apart from the code: stated with every result (T124), with the exact build of the
/// runtime, because its own pool changes (T127).</summary>
internal sealed record Machine(
    string Cpu,
    int LogicalCpus,
    string Kernel,
    string OperatingSystem,
    string Allocator,
    string Runtime,
    string RuntimeBuild,
    string Gc,
    string Library,
    string Build,
    string Load,
    SortedDictionary<string, string> Environment,
    string Date)
{
    public static Machine Describe() => new(
        ReadValue("/proc/cpuinfo", "model name") ?? RuntimeInformation.ProcessArchitecture.ToString(),
        System.Environment.ProcessorCount,
        FirstLine("/proc/sys/kernel/osrelease") ?? System.Environment.OSVersion.VersionString,
        RuntimeInformation.OSDescription,
        NativeAllocator.Describe(),
        $"{RuntimeInformation.FrameworkDescription} ({RuntimeInformation.RuntimeIdentifier})",
        VersionOf(typeof(object).Assembly),
        $"{(GCSettings.IsServerGC ? "server" : "workstation")}, {(IsConcurrent ? "concurrent" : "not concurrent")}",
        VersionOf(typeof(NativeThreadPool).Assembly),
        IsOptimized(typeof(NativeThreadPool).Assembly) && IsOptimized(typeof(Machine).Assembly) ? "Release" : "Debug",
        FirstLine("/proc/loadavg") ?? "unknown",
        Knobs(),
        DateTimeOffset.Now.ToString("yyyy-MM-ddTHH:mm:sszzz", CultureInfo.InvariantCulture));

    public void Print()
    {
        Console.WriteLine(Terminal.Dim($"{Cpu}, {LogicalCpus} logical CPUs, kernel {Kernel}, {Allocator}, load {Load}"));
        Console.WriteLine(Terminal.Dim($"{Runtime}, build {RuntimeBuild}, GC {Gc}, NativeThreading {Library}, {Date}"));
        foreach ((string name, string value) in Environment.Where(e => !IsForTheCommandLine(e.Key)))
        {
            Console.WriteLine(Terminal.Dim($"{name}={value}"));
        }

        if (Build != "Release")
        {
            Console.WriteLine("Built without optimization: these numbers say nothing. Use -c Release.");
        }
    }

    private static bool IsConcurrent =>
        GC.GetConfigurationVariables().TryGetValue("ConcurrentGC", out object? value) && value is true;

    private static SortedDictionary<string, string> Knobs() => new(
        System.Environment.GetEnvironmentVariables().Cast<DictionaryEntry>()
            .Select(e => (Name: (string)e.Key, Value: (string?)e.Value ?? ""))
            .Where(e => IsKnob(e.Name))
            .ToDictionary(e => e.Name, e => e.Value),
        StringComparer.Ordinal);

    private static bool IsKnob(string name) =>
        name.StartsWith("DOTNET_", StringComparison.Ordinal) || name.StartsWith("COMPlus_", StringComparison.Ordinal)
        || name is "LD_PRELOAD" or "MALLOC_ARENA_MAX";

    /// <summary>Settings of the SDK: they are in the result file, but not worth a line on the screen.</summary>
    private static bool IsForTheCommandLine(string name) =>
        name.StartsWith("DOTNET_CLI_", StringComparison.Ordinal)
        || name is "DOTNET_NOLOGO" or "DOTNET_GENERATE_ASPNET_CERTIFICATE" or "DOTNET_HOST_PATH" or "DOTNET_ROOT";

    private static string VersionOf(Assembly assembly) =>
        assembly.GetCustomAttribute<AssemblyInformationalVersionAttribute>()?.InformationalVersion ?? "unknown";

    private static bool IsOptimized(Assembly assembly) =>
        assembly.GetCustomAttribute<DebuggableAttribute>() is not { IsJITOptimizerDisabled: true };

    private static string? FirstLine(string path) => File.Exists(path) ? File.ReadLines(path).FirstOrDefault() : null;

    private static string? ReadValue(string path, string key) => !File.Exists(path) ? null : File.ReadLines(path)
        .Where(l => l.StartsWith(key, StringComparison.Ordinal))
        .Select(l => l[(l.IndexOf(':', StringComparison.Ordinal) + 1)..].Trim())
        .FirstOrDefault();
}
