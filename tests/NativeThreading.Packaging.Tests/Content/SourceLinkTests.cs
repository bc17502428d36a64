using System.Reflection.Metadata;
using System.Text;
using NativeThreading.Packaging.Tests.Support;
using NativeThreading.Tests.Support;

namespace NativeThreading.Packaging.Tests.Content;

/// <summary>Debuggers find the sources of a package that was made in a clone of a public repository.</summary>
public sealed class SourceLinkTests(PackageFeed feed)
{
    private const string Origin = "https://github.com/example/nativethreading";

    private static readonly Guid s_sourceLink = new("CC110556-A091-4D38-9FEC-25AB9A351A6A");

    public static TheoryData<string> Ids() => new(PackageFeed.Ids);

    [Theory]
    [MemberData(nameof(Ids))]
    public async Task Nuspec_NamesTheCommit(string id)
    {
        Requirement.Program("git");
        string commit = (await GitAsync("rev-parse", "HEAD")).Trim();
        using PackageFile package = feed.Open(id);
        Assert.Equal(commit, package.Metadata.Element("repository")!.Attribute("commit")!.Value);
    }

    [Fact, Trait("Category", "Long")]
    public async Task EachPdb_PointsToTheCommit_WhereTheOriginIsOnGitHub()
    {
        Requirement.Program("git");
        string clone = Path.Combine(feed.Workspace, "clone");
        await GitAsync("clone", "--quiet", "--shared", PackageFeed.RepositoryRoot, clone);
        await GitAsync("-C", clone, "remote", "set-url", "origin", $"{Origin}.git");
        string commit = (await GitAsync("-C", clone, "rev-parse", "HEAD")).Trim();

        // The assemblies of one framework are enough.
        await DotNet.SucceedAsync(
            clone, feed.NuGetSettings, "build", "src/Packages.slnf", "-c", "Release", "-f", "net10.0", "-v", "quiet", "-p:RunAnalyzers=false");

        string expected = $$$"""{"documents":{"/_/*":"https://raw.githubusercontent.com/example/nativethreading/{{{commit}}}/*"}}""";
        Assert.All(PackageFeed.Ids, id => Assert.Equal(expected, LinkIn(Path.Combine(clone, "src", id, "obj", "Release", "net10.0", $"{id}.pdb"))));
    }

    private static string LinkIn(string pdb)
    {
        using var provider = MetadataReaderProvider.FromPortablePdbStream(File.OpenRead(pdb));
        MetadataReader reader = provider.GetMetadataReader();
        CustomDebugInformation link = reader.CustomDebugInformation.Select(reader.GetCustomDebugInformation)
            .Single(information => reader.GetGuid(information.Kind) == s_sourceLink);
        return Encoding.UTF8.GetString(reader.GetBlobBytes(link.Value));
    }

    private static async Task<string> GitAsync(params string[] arguments)
    {
        CommandLine.Result result = await CommandLine.RunAsync("git", arguments, PackageFeed.RepositoryRoot, TimeSpan.FromMinutes(1));
        Assert.True(result.ExitCode == 0, result.ToString());
        return result.Output;
    }
}
