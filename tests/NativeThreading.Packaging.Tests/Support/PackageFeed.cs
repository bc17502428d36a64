using System.Globalization;
using System.Reflection;
using NativeThreading.Tests.Support;

namespace NativeThreading.Packaging.Tests.Support;

/// <summary>
/// The packages, made once a run under a version that no cache can know, in a directory outside the repository that
/// serves as a feed; the programs that use them are built below it.
/// </summary>
public sealed class PackageFeed : IAsyncLifetime
{
    public static readonly string[] Ids =
        ["NativeThreading", "NativeThreading.AspNetCore", "NativeThreading.Dashboard", "NativeThreading.EventLoops", "NativeThreading.EventLoops.Hosting", "NativeThreading.Hosting", "NativeThreading.Kestrel", "NativeThreading.Quartz", "NativeThreading.Testing"];

    /// <summary>The tool for the terminal, which no code references.</summary>
    public const string Tool = "NativeThreading.Top";

    /// <summary>What a package is for: both versions of .NET, or those that its main dependency is for.</summary>
    public static string[] FrameworksOf(string id) => id == "NativeThreading.Quartz" ? ["net10.0"] : ["net10.0", "net9.0"];

    public const string ProjectUrl = "https://example.org/nativethreading";

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
    /// Packages are unpacked below the workspace, so that nothing of this project outlives the run; what the machine has already
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
        // The analyzers, a sixth of the time, have run over the same sources in the build of the solution.
        Log = (await DotNet.SucceedAsync(
            RepositoryRoot,
            new Dictionary<string, string>(),
            "pack", "src/Packages.slnf", "-c", "Release", "--version-suffix", _suffix, "--artifacts-path", Path.Combine(Workspace, "artifacts"), $"-p:ProjectUrl={ProjectUrl}", "-p:RunAnalyzers=false")).Output;

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

    /// <summary>Packs the core once more from what was built, into a directory of its own.</summary>
    internal async Task<(CommandLine.Result Result, string Package)> PackAgainAsync(params string[] properties)
    {
        string output = Path.Combine(Workspace, $"again-{Guid.NewGuid():N}");
        CommandLine.Result result = await DotNet.RunAsync(
            RepositoryRoot,
            new Dictionary<string, string>(),
            [
                "pack", "src/NativeThreading", "-c", "Release", "--no-build", "-v", "minimal", "--version-suffix", _suffix,
                "--artifacts-path", Path.Combine(Workspace, "artifacts"), "-o", output, .. properties.Select(property => $"-p:{property}"),
            ]);
        return (result, Path.Combine(output, $"NativeThreading.{Version}.nupkg"));
    }

    public ValueTask DisposeAsync()
    {
        Directory.Delete(Workspace, recursive: true);
        return ValueTask.CompletedTask;
    }

    internal PackageFile Open(string id, string extension = "nupkg") => new(Path.Combine(Location, $"{id}.{Version}.{extension}"));
}
