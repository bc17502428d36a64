using System.Text.RegularExpressions;
using NativeThreading.Tests.Support;

namespace NativeThreading.Repository.Tests.Documentation;

/// <summary>The rules of docs/contributors/writing.md that a program can check: ten words that must not come back, and the levels of log messages.</summary>
public sealed partial class WordingTests
{
    private static readonly string[] s_pages = ["README.md", "docs/start/getting-started.md"];

    /// <summary>The words are those of the page, so that the page and the test cannot disagree.</summary>
    private static readonly Regex s_rejected = new(
        $@"\b({string.Join('|', Words().Select(static word => Regex.Escape(word).Replace(@"\ ", @"\s+", StringComparison.Ordinal)))})\b",
        RegexOptions.IgnoreCase);

    [Fact]
    public void ThePageListsTenWords() => Assert.Equal(10, Words().Distinct(StringComparer.Ordinal).Count());

    public static TheoryData<string> Pages() =>
        new(s_pages.Concat(SourceTree.Files("src", "README.md").Select(static file => Path.GetRelativePath(SourceTree.Root, file)))
            .Where(static name => !name.Contains("/Page/", StringComparison.Ordinal)));

    [Theory]
    [MemberData(nameof(Pages))]
    public void APageHasNoneOfTheWords(string name) => AssertNone(name, File.ReadAllText(Path.Combine(SourceTree.Root, name)));

    /// <summary>Checks every string, not only those of exceptions, log messages and events: most of the others reach users, too.</summary>
    [Fact]
    public void StringsOfThePackagesHaveNoneOfTheWords() => Assert.All(SourceTree.Sources, file => AssertNone(file, Code(File.ReadAllText(file))));

    [Fact]
    public void StringsOfTheNativeSourcesHaveNoneOfTheWords()
    {
        string[] files = [.. SourceTree.Files("native/src", "*.?"), .. SourceTree.Files("native/include", "*.h")];
        Assert.Contains(files, static file => Path.GetFileName(file) == "chaos.c");
        Assert.All(files, static file => AssertNone(file, Code(File.ReadAllText(file))));
    }

    [Theory]
    [InlineData("""throw new InvalidOperationException("Nobody waits.");""", 1)]
    [InlineData("""[LoggerMessage(1, LogLevel.Warning, "{Untold} more. Not cut at https://x, in vain.")]""", 2)]
    [InlineData("""[Event(3, Message = "tried as ever")]""", 1)]
    [InlineData("nth__chaos(\"f, nobody inside\");", 1)]
    [InlineData("string text = \"\"\"for\n ever\"\"\";", 1)]
    [InlineData("int x; // nobody waits", 0)]
    [InlineData("int x; /* nobody\n * waits */", 0)]
    [InlineData("""string text = "as everybody knows";""", 0)]
    public void WordsAreFoundInCode_NotInComments(string code, int count) => Assert.Equal(count, s_rejected.Count(Code(code)));

    /// <summary>Messages by package and id, events by number and name: the page has those of the sources, at their levels, and no others.</summary>
    [Fact]
    public void ThePageOfIdsHasTheLevelOfEachMessage()
    {
        string page = File.ReadAllText(Path.Combine(SourceTree.Root, "docs", "reference", "events-and-log-ids.md"));
        string[] sources =
        [
            .. SourceTree.Sources.SelectMany(static file => LogMessage().Matches(File.ReadAllText(file))
                .Select(message => $"{Package(file)} {message.Groups[1].Value} {message.Groups[2].Value.ToLowerInvariant()}")),
            .. SourceTree.Sources.SelectMany(static file => EventMessage().Matches(File.ReadAllText(file)))
                .Select(static message => $"{message.Groups[3].Value} {message.Groups[1].Value} {message.Groups[2].Value.ToLowerInvariant().Replace("informational", "information", StringComparison.Ordinal)}"),
        ];
        Assert.True(sources.Length > 40, $"{sources.Length} messages and events");
        Assert.Equal(sources.Order(StringComparer.Ordinal), MessagesOf(page).Concat(EventsOf(page)).Order(StringComparer.Ordinal));
    }

    /// <summary>A cell without a package continues the row above, and a cell may have several ids.</summary>
    private static IEnumerable<string> MessagesOf(string page)
    {
        string package = "";
        foreach (Match row in MessageRow().Matches(page))
        {
            package = row.Groups[1].Value is { Length: > 0 } category ? category.Replace(".NativeThreadingService", "", StringComparison.Ordinal).Replace(".PoolConditions", "", StringComparison.Ordinal) : package;
            foreach (Match ids in Ids().Matches(row.Groups[2].Value))
            {
                int first = int.Parse(ids.Groups[1].ValueSpan, null);
                int last = ids.Groups[2].Success ? int.Parse(ids.Groups[2].ValueSpan, null) : first;
                for (int id = first; id <= last; id++)
                {
                    yield return $"{package} {id} {row.Groups[3].Value}";
                }
            }
        }
    }

    private static IEnumerable<string> EventsOf(string page) =>
        EventRow().Matches(page).Select(static row => $"{row.Groups[2].Value} {row.Groups[1].Value} {row.Groups[3].Value}");

    private static string[] Words() =>
        [.. File.ReadAllText(Path.Combine(SourceTree.Root, "docs", "contributors", "writing.md")).Split("### Ten words", 2)[1].Split("\n## ", 2)[0]
            .Split('\n').Where(static line => line.StartsWith("- ", StringComparison.Ordinal)).Select(static line => line[2..])];

    private static string Package(string file) => Path.GetRelativePath(Path.Combine(SourceTree.Root, "src"), file).Split(Path.DirectorySeparatorChar)[0];

    private static void AssertNone(string name, string text)
    {
        string[] found = [.. s_rejected.Matches(text).Select(static match => match.Value)];
        Assert.True(found.Length == 0, $"{name}: {string.Join(", ", found)} (docs/contributors/writing.md)");
    }

    /// <summary>The text without comments. A string is matched first, so that two slashes in it begin no comment.</summary>
    private static string Code(string text) => StringOrComment().Replace(text, static match => match.Value[0] == '/' ? "" : match.Value);

    [GeneratedRegex("\"\"\"[\\s\\S]*?\"\"\"|@\"(?:[^\"]|\"\")*\"|\"(?:\\\\.|[^\"\\\\\\n])*\"|//[^\\n]*|/\\*[\\s\\S]*?\\*/")]
    private static partial Regex StringOrComment();

    [GeneratedRegex(@"\[LoggerMessage\((\d+), LogLevel\.(\w+),")]
    private static partial Regex LogMessage();

    [GeneratedRegex(@"\[Event\((\d+), Level = EventLevel\.(\w+),[\s\S]*?public void (\w+)\(")]
    private static partial Regex EventMessage();

    [GeneratedRegex(@"^\| (?:`([\w.]+)` )?\| ([\d, to]+) \| (\w+) \|", RegexOptions.Multiline)]
    private static partial Regex MessageRow();

    [GeneratedRegex(@"^\| (\d+) \| `(\w+)` \| (\w+) \|", RegexOptions.Multiline)]
    private static partial Regex EventRow();

    [GeneratedRegex(@"(\d+)(?: to (\d+))?")]
    private static partial Regex Ids();
}
