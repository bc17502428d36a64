using System.Diagnostics;
using NativeThreading.Tests.Support;

namespace NativeThreading.Packaging.Tests.Support;

/// <summary>A git repository with one small package, which is made with all that makes the packages of this one.</summary>
internal sealed class TinyRepository
{
    private static readonly string[] s_copied =
    [
        ".editorconfig", "Directory.Build.props", "Directory.Packages.props", "global.json", "THIRD-PARTY-NOTICES.txt", "assets/icon.png",
        "src/BannedSymbols.txt", "src/Compatibility.targets", "src/DevelopmentVersion.targets", "src/Directory.Build.props", "src/Directory.Build.targets",
        "packaging/Packing.csproj", "packaging/Program.cs", "packaging/PublicDocumentation.cs", "packaging/Readme.cs", ".ci/compatibility",
    ];

    private readonly string _directory;

    public TinyRepository(PackageFeed feed)
    {
        _directory = Directory.CreateDirectory(Path.Combine(feed.Workspace, $"tiny-{Guid.NewGuid():N}"[..11])).FullName;
        foreach (string file in s_copied)
        {
            Directory.CreateDirectory(Path.GetDirectoryName(At(file))!);
            File.Copy(Path.Combine(PackageFeed.RepositoryRoot, file), At(file));
        }

        Write(".gitignore", "bin/\nobj/\nartifacts/\n");
        Write("ThreadPool.slnx", """<Solution><Project Path="src/Tiny/Tiny.csproj" /></Solution>""");
        Write("src/Packages.slnf", """{ "solution": { "path": "../ThreadPool.slnx", "projects": ["src/Tiny/Tiny.csproj"] } }""");
        Write("src/Tiny/README.md", "# Tiny\n");
        Write("src/Tiny/Tiny.csproj", """
            <Project Sdk="Microsoft.NET.Sdk">
              <PropertyGroup>
                <TargetFramework />
                <TargetFrameworks>net10.0;net9.0</TargetFrameworks>
                <Description>A package of one class.</Description>
              </PropertyGroup>
            </Project>
            """);
    }

    /// <summary>The package's only class offers these members.</summary>
    public void Offer(string members) => Write("src/Tiny/Offer.cs", $$"""
        namespace Tiny;

        /// <summary>What the package offers.</summary>
        public static class Offer
        {
        {{members}}
        }
        """);

    public async Task CommitAsync()
    {
        CommandLine.Result result = await CommandLine.RunAsync(
            "sh", ["-c", "git init -q && git add . && git -c user.name=a -c user.email=a@example.org commit -q -m 'A change'"], _directory, TimeSpan.FromMinutes(1));
        Assert.True(result.ExitCode == 0, result.ToString());
    }

    /// <summary>Runs .ci/compatibility.</summary>
    public Task<CommandLine.Result> CompareAsync(params string[] arguments) => DotNet.RunAsync(
        new ProcessStartInfo(At(".ci/compatibility"), arguments) { WorkingDirectory = _directory },
        new Dictionary<string, string>());

    /// <summary>The version that the package would have.</summary>
    public async Task<string> VersionAsync(params string[] properties) => (await DotNet.SucceedAsync(
        _directory,
        new Dictionary<string, string>(),
        ["msbuild", "src/Tiny", "-t:_GetProjectVersion", "-getProperty:PackageVersion", .. properties.Select(property => $"-p:{property}")])).Output.Trim();

    private void Write(string path, string text)
    {
        Directory.CreateDirectory(Path.GetDirectoryName(At(path))!);
        File.WriteAllText(At(path), text);
    }

    private string At(string path) => Path.Combine(_directory, path);
}
