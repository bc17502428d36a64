using System.Runtime.InteropServices;

namespace NativeThreading.Packaging.Tests.Content;

/// <summary>What this machine can build, told independently of the build: the same that native/native.props says.</summary>
internal static class NativePlatforms
{
    public static readonly Dictionary<string, string> Compilers = new()
    {
        ["linux-arm64"] = "/usr/bin/aarch64-linux-gnu-gcc",
        ["linux-musl-x64"] = "/usr/bin/musl-gcc",
        ["win-x64"] = "/usr/bin/x86_64-w64-mingw32-gcc",
    };

    public static string Own { get; } = RuntimeInformation.RuntimeIdentifier;

    public static string[] LibraryNames { get; } = ["libnativethreading.so", "libnativethreading.dll"];

    public static string LibraryName(string platform) => LibraryNames[platform.StartsWith("win-", StringComparison.Ordinal) ? 1 : 0];

    /// <summary>Where a package and a portable program have it.</summary>
    public static string Library(string platform) => $"runtimes/{platform}/native/{LibraryName(platform)}";

    /// <summary>Where a package has what a program that is compiled ahead is linked with; null: a platform without.</summary>
    public static string? Archive(string platform) =>
        platform.StartsWith("linux-", StringComparison.Ordinal) ? $"runtimes/{platform}/static/libnativethreading.a" : null;

    /// <summary>What a package has compiled ahead, for .NET 10: on musl the one for glibc is taken.</summary>
    public static string[] CompiledAhead(string id) => id is "NativeThreading" or "NativeThreading.EventLoops" or "NativeThreading.EventLoops.Hosting" or "NativeThreading.Hosting" or "NativeThreading.AspNetCore" or "NativeThreading.Kestrel"
        ? [.. Expected.Where(platform => platform != "linux-musl-x64").Select(platform => Image(platform, id))]
        : [];

    /// <summary>Where a package and a portable program have an assembly that is compiled ahead for a platform.</summary>
    public static string Image(string platform, string id) => $"runtimes/{platform}/lib/net10.0/{id}.dll";

    public static string[] Expected =>
        [.. Compilers.Where(compiler => File.Exists(compiler.Value)).Select(compiler => compiler.Key).Append(Own).Distinct().Order(StringComparer.Ordinal)];
}
