using NativeThreading.Tests.Native;

namespace NativeThreading.Packaging.Tests.Support;

/// <summary>A project that has never seen the repository: its sources were copied out, its packages come from the feed.</summary>
internal sealed class Consumer
{
    private readonly PackageFeed _feed;
    private readonly string _directory;

    public Consumer(PackageFeed feed, string name)
    {
        _feed = feed;
        Name = name;
        _directory = Directory.CreateDirectory(Path.Combine(feed.Workspace, $"{name}-{Guid.NewGuid():N}"[..(name.Length + 7)])).FullName;
        string source = Path.Combine(PackageFeed.RepositoryRoot, "tests", "NativeThreading.Packaging.Tests", "Consumers", name);
        foreach (string file in Directory.GetFiles(source))
        {
            File.Copy(file, Path.Combine(_directory, Path.GetFileName(file)));
        }
    }

    public string Name { get; }

    public Task<CommandLine.Result> BuildAsync(params string[] properties) => RunAsync("build", properties);

    /// <summary>Publishes without a warning, or the test ends here.</summary>
    public async Task<PublishedProgram> PublishAsync(params string[] properties)
    {
        string output = Path.Combine(_directory, "published");
        CommandLine.Result result = await RunAsync("publish", [.. properties, $"PublishDir={output}/"]);
        Requirement.Restorable(result.Output);
        Assert.True(result.ExitCode == 0, result.ToString());
        Assert.DoesNotContain("warning", result.Output, StringComparison.OrdinalIgnoreCase);
        return new PublishedProgram(output, Name, _feed);
    }

    public Task<CommandLine.Result> TryPublishAsync(params string[] properties) => RunAsync("publish", properties);

    private Task<CommandLine.Result> RunAsync(string command, string[] properties) =>
        DotNet.RunAsync(_directory, _feed.NuGetSettings, [command, "-c", "Release", "-v", "quiet", "-nologo", .. properties.Select(property => $"-p:{property}")]);
}
