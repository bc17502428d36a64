using System.Text.RegularExpressions;
using NativeThreading.Tests.Support;

namespace NativeThreading.Tests.Snippets;

/// <summary>
/// The pages of the documentation, and the blocks of code in them. Not the tutorial: its blocks are whole programs, which
/// TutorialTests builds and runs from the page itself.
/// </summary>
internal static partial class DocumentationPages
{
    private static readonly string[] s_folders = ["docs", "src", "samples"];

    public static string[] All =>
        [Path.Combine(SourceTree.Root, "README.md"), .. s_folders.SelectMany(static folder => SourceTree.Files(folder, "*.md")).Except([Tutorial])];

    public static string Tutorial { get; } = Path.Combine(SourceTree.Root, "docs", "start", "tutorial-web.md");

    public static string[] BlocksOf(string page) => [.. Block().Matches(File.ReadAllText(page)).Select(match => match.Groups[1].Value)];

    /// <summary>Page, from the root, and block.</summary>
    public static IEnumerable<(string Page, string Block)> Blocks =>
        All.SelectMany(page => BlocksOf(page).Select(block => (Path.GetRelativePath(SourceTree.Root, page), block)));

    /// <summary>Without indentation and empty lines, and with the number of each line that is left.</summary>
    public static (string Text, int Line)[] LinesOf(string text) =>
        [.. text.Split('\n', StringSplitOptions.TrimEntries).Select((line, number) => (line, number)).Where(line => line.line.Length != 0)];

    [GeneratedRegex(@"```csharp\n(.*?)\n\s*```", RegexOptions.Singleline)]
    private static partial Regex Block();
}
