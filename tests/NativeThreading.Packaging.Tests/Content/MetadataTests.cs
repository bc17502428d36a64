using System.Text.RegularExpressions;
using System.Xml.Linq;
using NativeThreading.Packaging.Tests.Support;

namespace NativeThreading.Packaging.Tests.Content;

/// <summary>What a package says of itself.</summary>
public sealed class MetadataTests(PackageFeed feed)
{
    public static TheoryData<string> Ids() => new(PackageFeed.Ids);

    [Theory]
    [MemberData(nameof(Ids))]
    public void Nuspec_SaysWhatAndWhose(string id)
    {
        using PackageFile package = feed.Open(id);
        XElement metadata = package.Metadata;

        Assert.Equal(id, metadata.Element("id")!.Value);
        Assert.Equal(feed.Version, metadata.Element("version")!.Value);
        Assert.Equal("NativeThreading contributors", metadata.Element("authors")!.Value);
        Assert.Equal("MIT", metadata.Element("license")!.Value);
        Assert.Equal("expression", metadata.Element("license")!.Attribute("type")!.Value);
        Assert.Equal("README.md", metadata.Element("readme")!.Value);
        Assert.Equal("icon.png", metadata.Element("icon")!.Value);
        Assert.Contains("docs/reference/changelog.md", metadata.Element("releaseNotes")!.Value, StringComparison.Ordinal);
        Assert.Contains("threadpool", metadata.Element("tags")!.Value.Split(' '));
        Assert.InRange(metadata.Element("description")!.Value.Length, 60, 400);
        Assert.Equal(PackageFeed.ProjectUrl, metadata.Element("projectUrl")!.Value);
        Assert.Equal("git", metadata.Element("repository")!.Attribute("type")!.Value);
        Assert.Equal(PackageFeed.ProjectUrl, metadata.Element("repository")!.Attribute("url")!.Value);
        Assert.Matches("^[0-9a-f]{40}$", metadata.Element("repository")!.Attribute("commit")!.Value);
    }

    [Fact]
    public void Descriptions_AreTheirOwn()
    {
        string[] descriptions = [.. PackageFeed.Ids.Select(id =>
        {
            using PackageFile package = feed.Open(id);
            return package.Metadata.Element("description")!.Value;
        })];
        Assert.Distinct(descriptions);
    }

    [Fact]
    public void Core_DependsOnNothing()
    {
        using PackageFile package = feed.Open("NativeThreading");
        Assert.Equal(["net10.0", "net9.0"], package.Dependencies.Keys.Order(StringComparer.Ordinal));
        Assert.All(package.Dependencies.Values, Assert.Empty);
        Assert.Null(package.Metadata.Element("frameworkReferences"));
    }

    [Theory]
    [InlineData("NativeThreading.EventLoops", "NativeThreading")]
    [InlineData("NativeThreading.EventLoops.Hosting", "NativeThreading.EventLoops")]
    [InlineData("NativeThreading.EventLoops.Hosting", "NativeThreading.Hosting")]
    [InlineData("NativeThreading.Hosting", "NativeThreading")]
    [InlineData("NativeThreading.AspNetCore", "NativeThreading.Hosting")]
    [InlineData("NativeThreading.Kestrel", "NativeThreading.AspNetCore")]
    [InlineData("NativeThreading.Kestrel", "NativeThreading.EventLoops")]
    [InlineData("NativeThreading.Dashboard", "NativeThreading.Hosting")]
    [InlineData("NativeThreading.Quartz", "NativeThreading.Hosting")]
    [InlineData("NativeThreading.Testing", "NativeThreading")]
    public void Others_DependOnExactlyTheSameVersionOf(string id, string dependency)
    {
        using PackageFile package = feed.Open(id);
        Assert.NotEmpty(package.Dependencies);
        Assert.All(package.Dependencies.Values, of => Assert.Contains($"{dependency} [{feed.Version}]", of));

        // All else comes from .NET itself and what is asked for by name, in released versions.
        Assert.All(package.Dependencies.Values.SelectMany(of => of), each => Assert.Matches(
            each.StartsWith("NativeThreading", StringComparison.Ordinal) ? $@" \[{Regex.Escape(feed.Version)}\]$" : @"^(Microsoft\.Extensions\.\S+|Quartz) \d+\.\d+\.\d+$",
            each));
    }

    [Theory]
    [InlineData("NativeThreading.AspNetCore")]
    [InlineData("NativeThreading.Kestrel")]
    [InlineData("NativeThreading.Dashboard")]
    public void ThoseForAspNetCore_NeedTheSharedFramework(string id)
    {
        using PackageFile package = feed.Open(id);
        Assert.Contains("Microsoft.AspNetCore.App", package.Metadata.Element("frameworkReferences")!.Descendants("frameworkReference").Select(reference => reference.Attribute("name")!.Value));
    }
}
