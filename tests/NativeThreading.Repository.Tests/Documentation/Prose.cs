using System.Text.RegularExpressions;
using NativeThreading.Tests.Support;

namespace NativeThreading.Repository.Tests.Documentation;

/// <summary>The prose of pages, sources and messages: the words and shapes that docs/contributors/writing.md rejects, and sentences.</summary>
internal static partial class Prose
{
    /// <summary>The words are those of the page, so that the page and the tests cannot disagree.</summary>
    public static string[] RejectedWords { get; } =
    [
        .. File.ReadAllText(Path.Combine(SourceTree.Root, "docs", "contributors", "writing.md"))
            .Split("### Words that a test rejects", 2)[1].Split("The following shapes", 2)[0]
            .Split('\n').Where(static line => line.StartsWith("- ", StringComparison.Ordinal))
            .SelectMany(static line => line[2..].Split(':')[0].Split(", ")),
    ];

    private static readonly Regex s_rejected = new(
        $@"\b(?:{string.Join('|', RejectedWords.Select(static word => Regex.Escape(word).Replace(@"\ ", @"[\s*/#]+", StringComparison.Ordinal)))})\b"
        + @"|(?<=[.:;!?] |^)Who(?:ever)? (?![^.!?:]*\?)"
        + @"|\bbehind (?:an? |the |each |every |its |that |it\b|them\b)(?=(?:call|await|awaits|run|runs|end|start|stop|fence|poll|polls|event|item|items|removal|lock|take|look|batch|publication|enqueue|acknowledge|shutdown|loop|return|first|last|next)\b)",
        RegexOptions.IgnoreCase | RegexOptions.Multiline);

    /// <summary>The rejected words and shapes in a text, each with its line.</summary>
    public static IEnumerable<string> Rejected(string text) => s_rejected.Matches(text)
        .Select(match => $"{text.AsSpan(0, match.Index).Count('\n') + 1}: {Spaces().Replace(match.Value, " ").Trim()}");

    /// <summary>The old verbs of comments in a text, each with its line.</summary>
    public static IEnumerable<string> OldVerbs(string text) =>
        OldVerb().Matches(text).Select(match => $"{text.AsSpan(0, match.Index).Count('\n') + 1}: {match.Value}");

    /// <summary>A page without code and the targets of links, whose line numbers stay.</summary>
    public static string OfPage(string markdown) => Link().Replace(
        Inline().Replace(Comment().Replace(Fenced().Replace(markdown, static block => NewLines(block.Value)), ""), "X"),
        "$1");

    /// <summary>The comments and XML documentation of a source, whose line numbers stay. References and code in them are left out.</summary>
    public static string OfComments(string source) => Tag().Replace(
        Inline().Replace(Piece().Replace(source, static match => match.Value[0] == '/' && match.Length > 1 ? match.Value : NewLines(match.Value)), " X "), " X ");

    /// <summary>The strings of a source, whose line numbers stay.</summary>
    public static string OfStrings(string source) =>
        Piece().Replace(source, static match => match.Value[0] is '"' or '@' && match.Length > 1 ? match.Value : NewLines(match.Value));

    /// <summary>The sentences of a page: of paragraphs, list items and cells of tables.</summary>
    public static IEnumerable<string> Sentences(string markdown)
    {
        string paragraph = "";
        foreach (string line in OfPage(markdown).Split('\n').Append("").Select(static line => line.Trim()))
        {
            bool isTable = line.StartsWith('|'), isNew = line.Length == 0 || isTable || line.StartsWith('#') || Item().IsMatch(line);
            if (isNew && paragraph.Length != 0)
            {
                foreach (string sentence in SentenceEnd().Split(paragraph))
                {
                    yield return sentence.Trim();
                }

                paragraph = "";
            }

            if (isTable)
            {
                foreach (string sentence in line.Trim('|').Split(" | ").SelectMany(static cell => SentenceEnd().Split(cell)))
                {
                    yield return sentence.Trim();
                }
            }
            else if (!line.StartsWith('#'))
            {
                paragraph += $" {Item().Replace(line, "")}";
            }
        }
    }

    /// <summary>How many words a text has. Numbers and signs do not count.</summary>
    public static int Words(string text) => Word().Count(text);

    /// <summary>The words of a page between white space, as <c>wc -w</c> counts them, without code blocks and the rules and bars of tables.</summary>
    public static int Count(string markdown) =>
        Fenced().Replace(markdown, "").Split((char[]?)null, StringSplitOptions.RemoveEmptyEntries).Count(static word => word.AsSpan().ContainsAnyExcept("|:-"));

    [GeneratedRegex(@"^ *```.*?^ *```", RegexOptions.Multiline | RegexOptions.Singleline)]
    private static partial Regex Fenced();

    [GeneratedRegex(@"\b(?:looks?|looked|looking|begins?|began|refuses?|refused)\b", RegexOptions.IgnoreCase)]
    private static partial Regex OldVerb();

    [GeneratedRegex(@"<!--.*?-->", RegexOptions.Singleline)]
    private static partial Regex Comment();

    [GeneratedRegex(@"`[^`\n]*`|<c>[^<]*</c>")]
    private static partial Regex Inline();

    [GeneratedRegex(@"<[^>\n]*>")]
    private static partial Regex Tag();

    [GeneratedRegex(@"\[([^\]]*)\]\([^)]*\)")]
    private static partial Regex Link();

    [GeneratedRegex(@"^(?:- (?:\[ \] )?|\* |\d+\. )")]
    private static partial Regex Item();

    [GeneratedRegex(@"(?<=[.!?:;])\*{0,2}\s+(?=[A-Z*(""]|X\b)")]
    private static partial Regex SentenceEnd();

    [GeneratedRegex(@"[^\W\d_][\w'’-]*")]
    private static partial Regex Word();

    [GeneratedRegex(@"\s+")]
    private static partial Regex Spaces();

    // A string, a comment, or what is between them. A string is matched first, so that two slashes in it begin no comment.
    [GeneratedRegex("\"\"\"[\\s\\S]*?\"\"\"|@\"(?:[^\"]|\"\")*\"|\"(?:\\\\.|[^\"\\\\\\n])*\"|'(?:\\\\.|[^'\\\\\\n])'|//[^\\n]*|/\\*[\\s\\S]*?\\*/|[^/\"'@\\n]+|[/\"'@]")]
    private static partial Regex Piece();

    private static string NewLines(string text) => new('\n', text.AsSpan().Count('\n'));
}
