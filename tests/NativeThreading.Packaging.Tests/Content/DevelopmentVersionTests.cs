using System.Text.RegularExpressions;
using NativeThreading.Packaging.Tests.Support;
using NativeThreading.Tests.Support;

namespace NativeThreading.Packaging.Tests.Content;

/// <summary>A package that is no release carries its commit, so that no cache of NuGet serves an older one in its place.</summary>
public sealed class DevelopmentVersionTests(PackageFeed feed)
{
    [Fact]
    public async Task EachCommit_AndEachChange_HasAVersionOfItsOwn()
    {
        Requirement.Program("git");
        var repository = new TinyRepository(feed);
        repository.Offer("");
        await repository.CommitAsync();
        Assert.Equal("0.1.0-dev.1", await repository.VersionAsync());

        repository.Offer("    /// <summary>One.</summary>\n    public const int One = 1;");
        string changed = await repository.VersionAsync();
        Assert.Matches(@"^0\.1\.0-dev\.1\.changed-[0-9a-f]{8}$", changed);
        repository.Offer("    /// <summary>One.</summary>\n    public const int One = 2;");
        Assert.NotEqual(changed, await repository.VersionAsync());

        await repository.CommitAsync();
        Assert.Equal("0.1.0-dev.2", await repository.VersionAsync());
        Assert.Equal("0.1.0", await repository.VersionAsync("ForRelease=true"));
        Assert.Equal("7.1.0", await repository.VersionAsync("PackageVersion=7.1.0"));
        Assert.Equal("0.1.0-test.7", await repository.VersionAsync("VersionSuffix=test.7"));
    }

    [Fact]
    public async Task WithoutGit_TheVersionSaysSo()
    {
        var repository = new TinyRepository(feed);
        repository.Offer("");
        Assert.Equal("0.1.0-dev.0", await repository.VersionAsync());
    }

    [Fact]
    public async Task DependenciesAmongThePackages_HaveTheSameVersion()
    {
        Requirement.Program("git");
        string output = Path.Combine(feed.Workspace, $"development-{Guid.NewGuid():N}");
        await DotNet.SucceedAsync(
            PackageFeed.RepositoryRoot,
            new Dictionary<string, string>(),
            "pack", "src/NativeThreading.Testing", "-c", "Release", "--no-build", "--artifacts-path", Path.Combine(feed.Workspace, "artifacts"), "-o", output);
        CommandLine.Result commits = await CommandLine.RunAsync("git", ["rev-list", "--count", "HEAD"], PackageFeed.RepositoryRoot, TimeSpan.FromMinutes(1));

        using var package = new PackageFile(Assert.Single(Directory.GetFiles(output, "*.nupkg")));
        string version = package.Metadata.Element("version")!.Value;
        Assert.Matches($@"^0\.1\.0-dev\.{commits.Output.Trim()}(\.changed-[0-9a-f]{{8}})?$", version);
        Assert.All(package.Dependencies.Values, of => Assert.Contains($"NativeThreading [{version}]", of));
    }
}
