using System.Text.RegularExpressions;
using NativeThreading.Tests.Support;

namespace NativeThreading.Repository.Tests.Documentation;

/// <summary>The pages of a project next to its documentation: the list of changes, and the pages that a forge shows to the author of a report.</summary>
public sealed partial class ProjectPagesTests
{
    [Fact]
    public void TheVersionOfThePackages_StandsFirstInTheChanges()
    {
        string version = Version().Match(Read("src/Directory.Build.props")).Groups[1].Value;
        Assert.NotEmpty(version);
        string first = Read("docs/reference/changelog.md").Split('\n').First(line => line.StartsWith("## ", StringComparison.Ordinal));
        Assert.StartsWith($"## {version}", first, StringComparison.Ordinal);
    }

    [Fact]
    public void EveryPackage_StandsInTheChanges()
    {
        string changes = Read("docs/reference/changelog.md");
        IEnumerable<string> packages = Directory.EnumerateDirectories(Path.Combine(SourceTree.Root, "src")).Select(folder => Path.GetFileName(folder)!);
        Assert.All(packages, package => Assert.Contains($"**{package}**", changes, StringComparison.Ordinal));
    }

    /// <summary>A forge leaves out a template without a head. A link of a template would be one of the issue, where it leads nowhere.</summary>
    [Fact]
    public void IssueTemplates_HaveAHeadAndNoLinks()
    {
        MarkdownPage[] templates = [.. MarkdownPage.All.Where(page => page.Name.StartsWith(".github/ISSUE_TEMPLATE/", StringComparison.Ordinal))];
        Assert.Equal(3, templates.Length);
        Assert.All(templates, template =>
        {
            Assert.Equal("---", template.Lines[0]);
            Assert.StartsWith("name: ", template.Lines[1], StringComparison.Ordinal);
            Assert.StartsWith("about: ", template.Lines[2], StringComparison.Ordinal);
            Assert.Equal("---", template.Lines[4]);
            Assert.Empty(template.Links);
        });
    }

    private static string Read(string path) => File.ReadAllText(Path.Combine(SourceTree.Root, path));

    [GeneratedRegex("<VersionPrefix>([^<]+)</VersionPrefix>")]
    private static partial Regex Version();
}
