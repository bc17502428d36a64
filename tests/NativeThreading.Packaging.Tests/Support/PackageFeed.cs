using System.Globalization;
using System.Reflection;

namespace NativeThreading.Packaging.Tests.Support;

/// <summary>
/// The packages, made once a run under a version that no cache can know, in a directory outside the repository that
/// serves as a feed; the programs that use them are built below it.
/// </summary>
public sealed class PackageFeed : IAsyncLifetime
{
    public static readonly string[] Ids =
        ["NativeThreading", "NativeThreading.AspNetCore", "NativeThreading.Hosting", "NativeThreading.Testing"];

    private readonly string _suffix = $"test.{DateTime.UtcNow.ToString("yyyyMMddHHmmss", CultureInfo.InvariantCulture)}.{Environment.ProcessId}";

    public static string RepositoryRoot { get; } = typeof(PackageFeed).Assembly
        .GetCustomAttributes<AssemblyMetadataAttribute>().Single(data => data.Key == "RepositoryRoot").Value!;

    public string Workspace { get; } = Directory.CreateTempSubdirectory("nativethreading-packaging-").FullName;

    /// <summary>Where the packages lie.</summary>
    public string Location => Path.Combine(Workspace, "artifacts", "package", "release");

    /// <summary>What packing said.</summary>
    public string Log { get; private set; } = "";

    public string Version { get; private set; } = "";

    /// <summary>
    /// Packages are unpacked below the workspace, so that nothing of ours outlives the run; what the machine has already
    /// (runtimes, compilers) is used where it lies.
    /// </summary>
    internal Dictionary<string, string> NuGetSettings => new()
    {
        ["NUGET_PACKAGES"] = Path.Combine(Workspace, "packages"),
        ["NUGET_FALLBACK_PACKAGES"] = Environment.GetEnvironmentVariable("NUGET_PACKAGES")
            ?? Path.Combine(Environment.GetFolderPath(Environment.SpecialFolder.UserProfile), ".nuget", "packages"),
    };

    public async ValueTask InitializeAsync()
    {
        Log = (await DotNet.SucceedAsync(
            RepositoryRoot,
            new Dictionary<string, string>(),
            "pack", "src/Packages.slnf", "-c", "Release", "--version-suffix", _suffix, "--artifacts-path", Path.Combine(Workspace, "artifacts"))).Output;

        const string anId = "NativeThreading.Testing";
        Version = Path.GetFileNameWithoutExtension(Directory.GetFiles(Location, $"{anId}.*.nupkg").Single())[(anId.Length + 1)..];

        // What all consumers have in common: the feed, the version, and no patience with warnings.
        await File.WriteAllTextAsync(Path.Combine(Workspace, "Directory.Build.props"), $"""
            <Project>
              <PropertyGroup>
                <RestoreAdditionalProjectSources>{Location}</RestoreAdditionalProjectSources>
                <ImplicitUsings>enable</ImplicitUsings>
                <Nullable>enable</Nullable>
                <TreatWarningsAsErrors>true</TreatWarningsAsErrors>
                <MSBuildTreatWarningsAsErrors>true</MSBuildTreatWarningsAsErrors>
                <TrimmerSingleWarn>false</TrimmerSingleWarn>
                <InvariantGlobalization>true</InvariantGlobalization>
              </PropertyGroup>
            </Project>
            """);
        File.Copy(Path.Combine(RepositoryRoot, "global.json"), Path.Combine(Workspace, "global.json"));
    }

    public ValueTask DisposeAsync()
    {
        Directory.Delete(Workspace, recursive: true);
        return ValueTask.CompletedTask;
    }

    internal PackageFile Open(string id, string extension = "nupkg") => new(Path.Combine(Location, $"{id}.{Version}.{extension}"));
}
