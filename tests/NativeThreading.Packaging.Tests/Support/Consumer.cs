using System.Text.RegularExpressions;
using NativeThreading.Tests.Support;

namespace NativeThreading.Packaging.Tests.Support;

/// <summary>A project that has never seen the repository: its sources were copied out, its packages come from the feed.</summary>
internal sealed partial class Consumer
{
    private readonly PackageFeed _feed;
    private readonly string _directory;

    public Consumer(PackageFeed feed, string name)
        : this(feed, name, Path.Combine("tests", "NativeThreading.Packaging.Tests", "Consumers", name))
    {
    }

    /// <param name="source">The project's directory, from the repository's root.</param>
    public Consumer(PackageFeed feed, string name, string source)
    {
        _feed = feed;
        Name = name;
        _directory = Directory.CreateDirectory(Path.Combine(feed.Workspace, $"{name}-{Guid.NewGuid():N}"[..(name.Length + 7)])).FullName;
        foreach (string file in Directory.GetFiles(Path.Combine(PackageFeed.RepositoryRoot, source)))
        {
            File.Copy(file, Path.Combine(_directory, Path.GetFileName(file)));
        }

        File.WriteAllText(Project, WithPackages(File.ReadAllText(Project)));
    }

    public string Name { get; }

    /// <summary>The file, for a project that references this one.</summary>
    public string Project => Path.Combine(_directory, $"{Name}.csproj");

    /// <summary>Publishes without a warning, or the test ends here.</summary>
    public async Task<PublishedProgram> PublishAsync(params string[] properties)
    {
        string output = Path.Combine(_directory, "published");
        CommandLine.Result result = await TryPublishAsync([.. properties, $"PublishDir={output}/"]);
        Requirement.Restorable(result.Output);
        Assert.True(result.ExitCode == 0, result.ToString());
        Assert.DoesNotContain("warning", result.Output, StringComparison.OrdinalIgnoreCase);
        return new PublishedProgram(output, Name, _feed);
    }

    public Task<CommandLine.Result> TryPublishAsync(params string[] properties) => TryAsync("publish", properties);

    /// <summary>Publishes or builds, with whatever comes out.</summary>
    public Task<CommandLine.Result> TryAsync(string command, string[] properties) => DotNet.RunAsync(
        _directory, _feed.NuGetSettings, [command, "-c", "Release", "-v", "quiet", "-nologo", .. properties.Select(property => $"-p:{property}")]);

    private const string Framework = """
        <TargetFramework>net10.0</TargetFramework>
            <TargetFramework Condition="'$(ConsumerFramework)' != ''">$(ConsumerFramework)</TargetFramework>
        """;

    /// <summary>
    /// References to our projects become references to their packages of this run; what a reference inherits in the
    /// repository, the versions of other packages and the target framework, is written down.
    /// </summary>
    private string WithPackages(string project)
    {
        string packages = File.ReadAllText(Path.Combine(PackageFeed.RepositoryRoot, "Directory.Packages.props"));
        project = ProjectReference().Replace(project, """<PackageReference Include="$1" />""");
        project = PackageReference().Replace(project, reference =>
        {
            string id = reference.Groups[1].Value;
            string version = PackageFeed.Ids.Contains(id)
                ? $"[{_feed.Version}]"
                : Regex.Match(packages, $"""<PackageVersion Include="{Regex.Escape(id)}" Version="([^"]+)" />""").Groups[1].Value;
            return $"""<PackageReference Include="{id}" Version="{version}" />""";
        });
        return project.Contains("<TargetFramework>", StringComparison.Ordinal)
            ? project
            : project.Replace("<PropertyGroup>", $"<PropertyGroup>\n    {Framework}", StringComparison.Ordinal);
    }

    [GeneratedRegex("""<ProjectReference Include="[^"]*/(NativeThreading[\w.]*)\.csproj" />""")]
    private static partial Regex ProjectReference();

    [GeneratedRegex("""<PackageReference Include="([\w.]+)" />""")]
    private static partial Regex PackageReference();
}
