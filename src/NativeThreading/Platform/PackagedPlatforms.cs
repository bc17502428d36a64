using System.Reflection;

namespace NativeThreading.Platform;

/// <summary>The platforms whose native library the package of this assembly carries, by runtime identifier.</summary>
internal static class PackagedPlatforms
{
    /// <summary>Written by the build: only the build knows which compilers it had.</summary>
    public static string[] All { get; } = typeof(PackagedPlatforms).Assembly
        .GetCustomAttributes<AssemblyMetadataAttribute>()
        .First(static data => data.Key == "NativeRuntimeIdentifiers").Value!
        .Split(';', StringSplitOptions.RemoveEmptyEntries);

    /// <summary>A sentence that says whether <paramref name="runtimeIdentifier"/> is among them.</summary>
    public static string Described(string runtimeIdentifier)
    {
        if (All.Length == 0)
        {
            return "This build has none for any platform.";
        }

        string held = $"The package holds it for {string.Join(", ", All)}";
        return All.Contains(Portable(runtimeIdentifier)) ? $"{held}." : $"{held}, not for {runtimeIdentifier}.";
    }

    /// <summary>A runtime built by a Linux distribution names the distribution: ubuntu.24.04-x64 uses the library for linux-x64.</summary>
    private static string Portable(string runtimeIdentifier)
    {
        int architecture = runtimeIdentifier.LastIndexOf('-');
        if (!OperatingSystem.IsLinux() || architecture < 0 || runtimeIdentifier.StartsWith("linux-", StringComparison.Ordinal))
        {
            return runtimeIdentifier;
        }

        string c = runtimeIdentifier.StartsWith("alpine", StringComparison.Ordinal) ? "linux-musl" : "linux";
        return c + runtimeIdentifier[architecture..];
    }
}
