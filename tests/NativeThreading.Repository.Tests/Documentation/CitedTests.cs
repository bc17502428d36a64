using System.Text.RegularExpressions;
using NativeThreading.Tests.Support;

namespace NativeThreading.Repository.Tests.Documentation;

/// <summary>Tests that a page names as `File.Test`, where Test is a whole name or the T-number that names begin with.</summary>
internal static partial class CitedTests
{
    private static readonly Dictionary<string, string> s_files = SourceTree.Files("tests", "*.cs")
        .Concat(Directory.EnumerateFiles(Path.Combine(SourceTree.Root, "native", "tests"), "test_*.c"))
        .GroupBy(file => Path.GetFileNameWithoutExtension(file), File.ReadAllText, StringComparer.Ordinal)
        .ToDictionary(files => files.Key, string.Concat, StringComparer.Ordinal);

    /// <summary>The citations in some lines.</summary>
    public static MatchCollection In(string text) => Citation().Matches(text);

    /// <summary>Those of which there is no test.</summary>
    public static List<string> Missing(IEnumerable<string> lines) =>
        [.. lines.SelectMany(line => In(line)).Where(citation => !Exists(citation)).Select(citation => citation.Value)];

    private static bool Exists(Match citation)
    {
        string file = citation.Groups["file"].Value, test = citation.Groups["test"].Value;
        return (s_files.GetValueOrDefault(file) ?? s_files.GetValueOrDefault("test_" + file)) is { } source
            && Regex.IsMatch(source, $@"\b(\w*_)?{test}(_\w+)?\(|TEST\((\w*_)?{test}(_\w+)?\)|T\d+[^\n]*\b{test}\b");
    }

    [GeneratedRegex(@"`(?<file>\w+)\.(?<test>T\d+|[A-Za-z]\w{5,})`")]
    private static partial Regex Citation();
}
