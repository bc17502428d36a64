using NativeThreading.Tests.Snippets;
using NativeThreading.Tests.Support;

namespace NativeThreading.Repository.Tests.Documentation;

/// <summary>Every page of docs/ begins with what it is for, and ends with what to read next.</summary>
public sealed class PageShapeTests
{
    private const string Next = "## Read next";

    /// <summary>The index, and registers, which grow at their end.</summary>
    private static readonly string[] s_noNext = ["README.md", "changelog.md", "performance-notes.md", "traps.md"];

    public static TheoryData<string> Pages() =>
        new(SourceTree.Files("docs", "*.md").Select(file => Path.GetRelativePath(SourceTree.Root, file)).Order(StringComparer.Ordinal));

    [Theory]
    [MemberData(nameof(Pages))]
    public void BeginsWithWhatItIsFor(string name)
    {
        string[] lines = [.. Page(name).Lines.Where(line => line.Length != 0).Take(2)];
        Assert.StartsWith("# ", lines[0], StringComparison.Ordinal);
        Assert.True(IsProse(lines[1]), lines[1]);
    }

    [Theory]
    [MemberData(nameof(Pages))]
    public void EndsWithWhatToReadNext(string name)
    {
        if (s_noNext.Contains(Path.GetFileName(name)))
        {
            return;
        }

        string[] lines = Page(name).Lines;
        Assert.Equal(Next, lines.Last(line => line.StartsWith("## ", StringComparison.Ordinal)));
        string[] next = [.. lines.SkipWhile(line => line != Next).Skip(1).Where(line => line.Length != 0)];
        Assert.InRange(next.Length, 1, 6);
        Assert.All(next, line => Assert.Contains("](", line, StringComparison.Ordinal));
    }

    [Theory]
    [InlineData("This page is for", true)]
    [InlineData("`Class.T1` stands for", true)]
    [InlineData("## Install", false)]
    [InlineData("- a list", false)]
    [InlineData("| a table |", false)]
    [InlineData("    dotnet build", false)]
    public void Prose_IsKnown(string line, bool isProse) => Assert.Equal(isProse, IsProse(line));

    /// <summary>Its generated rows included. Longer explanations belong to the notes.</summary>
    [Fact]
    public void ThePageOfFiguresIsShort() => Assert.InRange(Page(Path.Combine("docs", "explanation", "performance.md")).Lines.Length - 1, 60, 160); // the last one is empty

    /// <summary>A reader decides in the first minute whether to read on. What is longer belongs to a page of docs/.</summary>
    [Fact]
    public void TheReadmeIsShort() => Assert.InRange(File.ReadAllLines(Path.Combine(SourceTree.Root, "README.md")).Length, 100, 150);

    private static MarkdownPage Page(string name) => MarkdownPage.All.Single(page => page.Name == name);

    private static bool IsProse(string line) => char.IsLetter(line[0]) || line[0] is '`' or '[' or '*' && line[1] != ' ';
}
