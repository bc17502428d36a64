using System.Text.RegularExpressions;
using NativeThreading.Tests.Support;

namespace NativeThreading.Repository.Tests.Documentation;

/// <summary>Traps that sources and pages cite by number: in names of tests, in comments, in messages of errors.</summary>
internal static partial class CitedTraps
{
    private static readonly string[] s_folders = ["src", "native", "tests", "benchmarks", "samples", "docs"];

    private static readonly string[] s_pages = ["README.md", "CONTRIBUTING.md", "build.cake"];

    /// <summary>What people write. Results, drawings and lists of packages are left out: a letter and digits there are data.</summary>
    private static readonly string[] s_kinds =
    [
        ".cs", ".c", ".h", ".cpp", ".go", ".pml", ".mutant", ".sh", ".cake", ".cmake",
        ".csproj", ".proj", ".props", ".targets", ".md", ".txt",
    ];

    /// <summary>Each file that was read, from the root, with the traps that it cites.</summary>
    public static Dictionary<string, string[]> ByFile { get; } = s_folders
        .SelectMany(static folder => Below(Path.Combine(SourceTree.Root, folder)))
        .Concat(s_pages.Select(static page => Path.Combine(SourceTree.Root, page)))
        .Where(static file => s_kinds.Contains(Path.GetExtension(file)))
        .ToDictionary(static file => Path.GetRelativePath(SourceTree.Root, file), static file => In(File.ReadAllText(file)));

    /// <summary>
    /// Those in a text, each once. Type parameters that are numbered look the same, and are taken for citations: there are
    /// never so many of them that one has no row.
    /// </summary>
    public static string[] In(string text) => [.. Citation().Matches(text).Select(static citation => citation.Value).Distinct()];

    /// <summary>Does not enter the output of builds, which comes and goes while the tests run.</summary>
    private static IEnumerable<string> Below(string directory) => Directory.EnumerateFiles(directory).Concat(
        Directory.EnumerateDirectories(directory)
            .Where(static inner => Path.GetFileName(inner) is not ("bin" or "obj" or "build" or "node_modules"))
            .SelectMany(Below));

    // An underscore may stand on either side, T77_T81_; a date has a digit before its T.
    [GeneratedRegex("(?<![A-Za-z0-9])T[0-9]+(?![A-Za-z0-9])")]
    private static partial Regex Citation();
}
