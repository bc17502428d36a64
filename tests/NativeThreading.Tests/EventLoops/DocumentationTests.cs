using System.Text.RegularExpressions;
using NativeThreading.Tests.Interop;

namespace NativeThreading.Tests.EventLoops;

/// <summary>The documentation's code is code that runs: each block stands in DocumentationSnippets, but for its indentation.</summary>
public sealed partial class DocumentationTests
{
    private static readonly string s_snippets = Normalized(File.ReadAllText(
        Path.Combine(Repository.Root, "tests", "NativeThreading.Tests", "EventLoops", "DocumentationSnippets.cs")));

    public static TheoryData<string> Blocks() => new(
        BlocksOf("docs", "event-loops.md").Concat(BlocksOf("README.md").Where(block => block.Contains("EventLoop", StringComparison.Ordinal))));

    [Theory]
    [MemberData(nameof(Blocks))]
    public void BlockStandsInTheSnippetsThatRun(string block) => Assert.Contains(Normalized(block), s_snippets, StringComparison.Ordinal);

    [Fact]
    public void EveryBlockIsFound_AndNoneOfOtherLanguages()
    {
        string text = File.ReadAllText(Path.Combine(Repository.Root, "docs", "event-loops.md"));
        Assert.Equal(text.Split("```").Length - 1, 2 * BlocksOf("docs", "event-loops.md").Length);
        Assert.Contains(Blocks(), row => row.Data.Contains("TryAccept", StringComparison.Ordinal));
    }

    [Fact]
    public void Normalized_KeepsEverythingButIndentationAndEmptyLines()
    {
        Assert.Equal("\na  b\nc\n", Normalized("    a  b  \n\n  c"));
        Assert.DoesNotContain(Normalized("no such line in the file"), s_snippets, StringComparison.Ordinal);
    }

    private static string[] BlocksOf(params string[] path) =>
        [.. Block().Matches(File.ReadAllText(Path.Combine([Repository.Root, .. path]))).Select(match => match.Groups[1].Value)];

    private static string Normalized(string text) =>
        $"\n{string.Join('\n', text.Split('\n', StringSplitOptions.TrimEntries | StringSplitOptions.RemoveEmptyEntries))}\n";

    [GeneratedRegex(@"```csharp\n(.*?)\n```", RegexOptions.Singleline)]
    private static partial Regex Block();
}
