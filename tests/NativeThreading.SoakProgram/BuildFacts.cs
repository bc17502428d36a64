using System.Reflection;

namespace NativeThreading.SoakProgram;

/// <summary>What was built.</summary>
internal static class BuildFacts
{
    /// <summary>Whether the protocols yield and sleep on purpose (<c>-p:Chaos=true</c>): everything takes its time then.</summary>
    public static bool IsChaos { get; } = Metadata("Chaos") == "true";

    /// <summary>The commit that the library was built from.</summary>
    public static string Commit { get; } =
        typeof(NativeThreadPool).Assembly.GetCustomAttribute<AssemblyInformationalVersionAttribute>()?.InformationalVersion.Split('+') is [_, var commit]
            ? commit
            : "unknown";

    private static string? Metadata(string key) =>
        typeof(BuildFacts).Assembly.GetCustomAttributes<AssemblyMetadataAttribute>().FirstOrDefault(a => a.Key == key)?.Value;
}
