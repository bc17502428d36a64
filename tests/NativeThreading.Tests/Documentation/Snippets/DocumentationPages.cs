using System.Runtime.CompilerServices;
using System.Text.RegularExpressions;

namespace NativeThreading.Tests.Documentation.Snippets;

/// <summary>The pages of the documentation, and the blocks of code in them.</summary>
internal static partial class DocumentationPages
{
    public static string Root { get; } = Path.GetFullPath(Path.Combine(Here(), "..", "..", "..", ".."));

    public static string[] All =>
        [Path.Combine(Root, "README.md"), .. Files("docs", "*.md"), .. Files("src", "*.md"), .. Files("samples", "*.md")];

    public static string[] BlocksOf(string page) => [.. Block().Matches(File.ReadAllText(page)).Select(match => match.Groups[1].Value)];

    /// <summary>Page, from the root, and block.</summary>
    public static IEnumerable<(string Page, string Block)> Blocks =>
        All.SelectMany(page => BlocksOf(page).Select(block => (Path.GetRelativePath(Root, page), block)));

    public static IEnumerable<string> Files(string folder, string pattern) => Directory
        .EnumerateFiles(Path.Combine(Root, folder), pattern, SearchOption.AllDirectories)
        .Where(file => !file.Split(Path.DirectorySeparatorChar).Any(part => part is "obj" or "bin"));

    /// <summary>Without indentation and empty lines, and with the number of each line that is left.</summary>
    public static (string Text, int Line)[] LinesOf(string text) =>
        [.. text.Split('\n', StringSplitOptions.TrimEntries).Select((line, number) => (line, number)).Where(line => line.line.Length != 0)];

    private static string Here([CallerFilePath] string file = "") => Path.GetDirectoryName(file)!;

    [GeneratedRegex(@"```csharp\n(.*?)\n\s*```", RegexOptions.Singleline)]
    private static partial Regex Block();
}
