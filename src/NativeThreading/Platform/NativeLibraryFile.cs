using System.Diagnostics.CodeAnalysis;
using System.Runtime.InteropServices;

namespace NativeThreading.Platform;

/// <summary>The paths that are searched for the native library, and the messages for a missing or wrong one.</summary>
internal static class NativeLibraryFile
{
    private const string Missing =
        "Reference the NativeThreading package from the application project so that its runtimes/ folder is deployed, "
        + "or build native/ with CMake for this platform and put the file next to NativeThreading.dll.";

    private const string Wrong =
        "Replace it with the file from the NativeThreading package of this assembly's version, from its folder "
        + "runtimes/<platform>/native/, or build native/ with CMake for this platform.";

    private static string Name =>
        OperatingSystem.IsWindows() ? "libnativethreading.dll"
        : OperatingSystem.IsMacOS() ? "libnativethreading.dylib"
        : "libnativethreading.so";

    private static string Platform => RuntimeInformation.RuntimeIdentifier;

    /// <summary>The message for a library that could not be loaded, or lacks a function.</summary>
    public static string Unusable(Exception exception)
    {
        string[] found = [.. SearchedPaths().Where(File.Exists)];
        if (exception is EntryPointNotFoundException)
        {
            return $"The native library '{Name}' for {Platform} is a different library of the same name. "
                + $"Found: {string.Join(", ", found)}. {Wrong}";
        }

        if (found.Length == 0)
        {
            return $"The native library '{Name}' was not found for {Platform}. {PackagedPlatforms.Described(Platform)} "
                + $"Searched: {string.Join(", ", SearchedPaths())}. {Missing}";
        }

        // The system's loader writes one line for each file that it tried.
        string[] reasons =
        [
            .. exception.Message.Split('\n', StringSplitOptions.RemoveEmptyEntries | StringSplitOptions.TrimEntries)
                .Where(line => Array.Exists(found, file => line.StartsWith(file + ":", StringComparison.Ordinal)))
                .Distinct(StringComparer.Ordinal),
        ];
        return Damaged(string.Join(", ", reasons.Length == 0 ? found : reasons));
    }

    /// <summary>The message for a truncated file, which would crash the process while the system loads it; <see langword="null"/> if no
    /// file is truncated.</summary>
    /// <remarks>Without LINQ: every process calls this before its first pool exists, and to load what LINQ needs takes a new process
    /// milliseconds.</remarks>
    public static string? CutOff()
    {
        if (!OperatingSystem.IsLinux())
        {
            return null;
        }

        string? last = null;
        foreach (string directory in SearchedDirectories())
        {
            string file = Path.Combine(directory, Name);
            if (directory.Length != 0 && file != last && ElfFile.IsCutOff(file))
            {
                return Damaged($"{Path.GetFullPath(file)}: the file is truncated");
            }

            last = file; // the first two directories are usually the same
        }

        return null;
    }

    /// <summary>The message for a library of another version of the package.</summary>
    public static string OtherVersion(int version) =>
        $"The native library '{Name}' for {Platform} has ABI version {version}, but this assembly needs {NativeMethods.AbiVersion}. "
        + $"Found: {string.Join(", ", SearchedPaths().Where(File.Exists))}. {Wrong}";

    private static string Damaged(string found) =>
        $"The native library '{Name}' was found, but cannot be used for {Platform}: it cannot be read, is damaged, or was built for another processor or "
        + $"C library. Found: {found}. {PackagedPlatforms.Described(Platform)} {Wrong}";

    /// <summary>Each directory once.</summary>
    private static IEnumerable<string> SearchedPaths() => SearchedDirectories().Where(static directory => directory.Length != 0)
        .Select(static directory => Path.GetFullPath(Path.Combine(directory, Name)))
        .Distinct(StringComparer.Ordinal);

    /// <summary>Some may be empty, and one may be there twice.</summary>
    private static List<string> SearchedDirectories()
    {
        var directories = new List<string>
        {
            AssemblyDirectory,
            AppContext.BaseDirectory,
            Path.Combine(AppContext.BaseDirectory, "runtimes", Platform, "native"),
        };
        string others = AppContext.GetData("NATIVE_DLL_SEARCH_DIRECTORIES") as string ?? "";
        for (int from = 0, to; from < others.Length; from = to + 1)
        {
            to = others.IndexOf(Path.PathSeparator, from);
            to = to < 0 ? others.Length : to;
            directories.Add(others[from..to]); // not by Split: its first call takes a new process a millisecond
        }

        return directories;
    }

    /// <summary>The directory of this assembly; empty in a single-file program.</summary>
    [UnconditionalSuppressMessage("SingleFile", "IL3000", Justification = "Empty in a single-file program; the program's directory is searched next.")]
    private static string AssemblyDirectory => Path.GetDirectoryName(typeof(NativeLibraryFile).Assembly.Location) ?? "";
}
