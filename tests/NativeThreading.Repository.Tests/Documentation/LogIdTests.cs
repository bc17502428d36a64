using System.Text.RegularExpressions;
using NativeThreading.Tests.Support;

namespace NativeThreading.Repository.Tests.Documentation;

/// <summary>docs/reference/events-and-log-ids.md lists the log messages and events of the sources.</summary>
public sealed partial class LogIdTests
{
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

    private static string Package(string file) => Path.GetRelativePath(Path.Combine(SourceTree.Root, "src"), file).Split(Path.DirectorySeparatorChar)[0];

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
