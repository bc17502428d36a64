using System.Runtime.InteropServices;

namespace NativeThreading.Packaging.Tests.Content;

/// <summary>What this machine can build, told independently of the build: the same that native/native.props says.</summary>
internal static class NativePlatforms
{
    public static readonly Dictionary<string, string> Compilers = new()
    {
        ["linux-arm64"] = "/usr/bin/aarch64-linux-gnu-gcc",
        ["linux-musl-x64"] = "/usr/bin/musl-gcc",
    };

    public static string Own { get; } = RuntimeInformation.RuntimeIdentifier;

    public static string[] Expected =>
        [.. Compilers.Where(compiler => File.Exists(compiler.Value)).Select(compiler => compiler.Key).Append(Own).Distinct().Order(StringComparer.Ordinal)];
}
