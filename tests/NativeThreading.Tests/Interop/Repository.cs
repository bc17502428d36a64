using NativeThreading.Tests.Native;

namespace NativeThreading.Tests.Interop;

/// <summary>The sources that the tests were built from.</summary>
internal static class Repository
{
    public static string Root { get; } = FindRoot();

    public static string[] Sources => [.. Directory
        .EnumerateFiles(Path.Combine(Root, "src"), "*.cs", SearchOption.AllDirectories)
        .Where(file => !file.Split(Path.DirectorySeparatorChar).Any(part => part is "obj" or "bin"))];

    /// <summary>What is built may lie anywhere; the build tells where it found the sources.</summary>
    private static string FindRoot()
    {
        for (var directory = new DirectoryInfo(NativeTestPrograms.BuildDirectory); directory is not null; directory = directory.Parent)
        {
            if (File.Exists(Path.Combine(directory.FullName, "ThreadPool.sln")))
            {
                return directory.FullName;
            }
        }

        throw new DirectoryNotFoundException($"No directory above {NativeTestPrograms.BuildDirectory} holds ThreadPool.sln.");
    }
}
