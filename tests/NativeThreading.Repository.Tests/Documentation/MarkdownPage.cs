using System.Text.RegularExpressions;
using NativeThreading.Tests.Support;

namespace NativeThreading.Repository.Tests.Documentation;

/// <summary>A page that people write, as a reader of the repository sees it: its headings and its links, which code does not have.</summary>
internal sealed partial class MarkdownPage(string file)
{
    private static readonly string[] s_folders = [".github", "benchmarks", "docs", "native", "samples", "src", "tests"];

    private readonly string _file = file;
    private readonly string _text = Fenced().Replace(File.ReadAllText(file), "");

    public static MarkdownPage[] All { get; } =
    [
        .. Directory.EnumerateFiles(SourceTree.Root, "*.md")
            .Concat(s_folders.SelectMany(static folder => SourceTree.Files(folder, "*.md")))
            .Where(static file => !file.Split(Path.DirectorySeparatorChar).Any(part => part is "build" or "node_modules"))
            .Select(static file => new MarkdownPage(file)),
    ];

    /// <summary>From the root.</summary>
    public string Name { get; } = Path.GetRelativePath(SourceTree.Root, file);

    public string[] Lines => _text.Split('\n');

    public string[] Links => [.. Link().Matches(Inline().Replace(_text, "")).Select(link => link.Groups[1].Value)];

    /// <summary>What a link to a heading ends in, as forges make it.</summary>
    public IEnumerable<string> Anchors => Heading().Matches(_text).Select(heading =>
        NotInAnchors().Replace(LinkInHeading().Replace(heading.Groups[1].Value, "$1").Trim().ToLowerInvariant(), "").Replace(' ', '-'));

    /// <summary>What a link means: a path from the root, and the anchor. Null for one that leads out of the repository.</summary>
    public (string Path, string Anchor)? Target(string link)
    {
        if (link.Contains("://", StringComparison.Ordinal))
        {
            return null;
        }

        string[] parts = link.Split('#', 2);
        string path = parts[0].Length == 0 ? _file : Path.GetFullPath(Path.Combine(Path.GetDirectoryName(_file)!, parts[0]));
        return (Path.GetRelativePath(SourceTree.Root, path), parts.Length == 2 ? parts[1] : "");
    }

    [GeneratedRegex(@"^ *```.*?^ *```", RegexOptions.Multiline | RegexOptions.Singleline)]
    private static partial Regex Fenced();

    [GeneratedRegex(@"`[^`\n]*`")]
    private static partial Regex Inline();

    [GeneratedRegex(@"\]\(([^)\s]+)\)")]
    private static partial Regex Link();

    [GeneratedRegex("^#+ (.*)$", RegexOptions.Multiline)]
    private static partial Regex Heading();

    [GeneratedRegex(@"\[([^\]]*)\]\([^)]*\)")]
    private static partial Regex LinkInHeading();

    [GeneratedRegex(@"[^\w\- ]")]
    private static partial Regex NotInAnchors();
}
