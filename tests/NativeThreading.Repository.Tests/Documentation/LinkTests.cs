using NativeThreading.Tests.Support;

namespace NativeThreading.Repository.Tests.Documentation;

/// <summary>Links of pages lead somewhere: to a file of the repository, and to a heading that it has. Addresses elsewhere are not asked.</summary>
public sealed class LinkTests
{
    [Fact]
    public void EveryLinkLeadsToAFileAndAHeading()
    {
        string[] broken = [.. MarkdownPage.All.SelectMany(page => page.Links.Where(link => !Leads(page, link)).Select(link => $"{page.Name}: {link}"))];
        Assert.True(broken.Length == 0, string.Join('\n', broken));
        Assert.InRange(MarkdownPage.All.Sum(page => page.Links.Length), 250, int.MaxValue);
    }

    [Theory]
    [InlineData("contributors/architecture/overview.md", true)]
    [InlineData("contributors/architecture/overview.md#terms", true)]
    [InlineData("../README.md#performance", true)]
    [InlineData("drawings/state-word.svg", true)]
    [InlineData("../samples/Echo", true)]
    [InlineData("https://example.org/nowhere", true)]
    [InlineData("nowhere.md", false)]
    [InlineData("contributors/architecture/overview.md#nowhere", false)]
    [InlineData("#nowhere", false)]
    [InlineData("README.md/nowhere", false)]
    public void LinkThatLeadsNowhere_IsFound(string link, bool leads) => Assert.Equal(leads, Leads(Index, link));

    [Fact]
    public void TheIndexLeadsToEveryPage()
    {
        string[] pages = [.. SourceTree.Files("docs", "*.md").Select(file => Path.GetRelativePath(SourceTree.Root, file))];
        Assert.Empty(pages.Except(Index.Links.Select(link => Index.Target(link)?.Path)).Except([Index.Name]));
    }

    /// <summary>The menu of the site, which docs/toc.yml has.</summary>
    [Fact]
    public void TheMenuLeadsToEveryPage()
    {
        string docs = Path.Combine(SourceTree.Root, "docs");
        string[] menu = [.. File.ReadAllLines(Path.Combine(docs, "toc.yml")).Where(static line => line.Contains(" href: ", StringComparison.Ordinal)).Select(static line => line.Split(" href: ")[1])];
        Assert.Empty(SourceTree.Files("docs", "*.md").Select(file => Path.GetRelativePath(docs, file)).Except(menu));
    }

    private static MarkdownPage Index => MarkdownPage.All.Single(page => page.Name == Path.Combine("docs", "README.md"));

    private static bool Leads(MarkdownPage page, string link) =>
        page.Target(link) is not var (path, anchor)
        || (Path.Exists(Path.Combine(SourceTree.Root, path))
            && (anchor.Length == 0 || MarkdownPage.All.Single(other => other.Name == path).Anchors.Contains(anchor)));
}
