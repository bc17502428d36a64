using System.Runtime.CompilerServices;

namespace NativeThreading.Hosting.Tests.Support;

/// <summary>The sources that the tests were built from.</summary>
internal static class Repository
{
    public static string Root { get; } = Path.GetFullPath(Path.Combine(Here(), "..", "..", ".."));

    private static string Here([CallerFilePath] string file = "") => Path.GetDirectoryName(file)!;
}
