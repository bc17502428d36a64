using System.Runtime.CompilerServices;

namespace NativeThreading.Tests.Support;

/// <summary>The sources that the tests were built from.</summary>
internal static class SourceTree
{
    public static string Root { get; } = Path.GetFullPath(Path.Combine(Here(), "..", ".."));

    /// <summary>The C# sources of the packages.</summary>
    public static string[] Sources => [.. Files("src", "*.cs"), .. Files("instrumentation", "*.cs")];

    /// <summary>The files below a folder, without what builds write.</summary>
    public static IEnumerable<string> Files(string folder, string pattern) => Directory
        .EnumerateFiles(Path.Combine(Root, folder), pattern, SearchOption.AllDirectories)
        .Where(file => !file.Split(Path.DirectorySeparatorChar).Any(part => part is "obj" or "bin"));

    private static string Here([CallerFilePath] string file = "") => Path.GetDirectoryName(file)!;
}
