using System.Text.RegularExpressions;
using NativeThreading.Packaging.Tests.Content;
using NativeThreading.Packaging.Tests.Support;
using NativeThreading.Tests.Support;

namespace NativeThreading.Packaging.Tests.Running;

/// <summary>T95: a program that knows a class library, and the library the package. What the package does to programs comes through to it.</summary>
public sealed class LayeredTests(PackageFeed feed)
{
    private readonly string _between = $"Between={new Consumer(feed, "Between").Project}";

    [Fact]
    public async Task T95_Portable_CarriesEveryPlatform()
    {
        PublishedProgram program = await new Consumer(feed, "Layered").PublishAsync(_between);
        Assert.Equal(NativePlatforms.Expected.Select(NativePlatforms.Library), program.NativeLibraries);
        await AssertWorksAsync(program);
    }

    [Fact, Trait("Category", "Long")]
    public async Task T95_CompiledAhead_IsOneFile_WithTheNativeCoreInside()
    {
        Requirement.Program("gcc");
        PublishedProgram program = await new Consumer(feed, "Layered").PublishAsync(
            _between, $"RuntimeIdentifier={NativePlatforms.Own}", "NativeAot=true", "CppCompilerAndLinker=gcc");
        Assert.Equal(["Layered"], program.FilesWithoutSymbols);
        await AssertWorksAsync(program);
    }

    /// <summary>Of the program, which is deployed, and not of the library.</summary>
    [Fact, Trait("Category", "Long")]
    public async Task T96_OtherPlatform_IsWarnedOf_Once()
    {
        CommandLine.Result result = await new Consumer(feed, "Layered").TryPublishAsync(
            _between, "RuntimeIdentifier=linux-riscv64", "SelfContained=false", "UseAppHost=false", "TreatWarningsAsErrors=false", "MSBuildTreatWarningsAsErrors=false");
        Requirement.Restorable(result.Output);
        Assert.True(result.ExitCode == 0, result.ToString());
        string warning = Assert.Single(Regex.Matches(result.Output, "warning NTH0003: .*").Select(match => match.Value).Distinct());
        Assert.Contains("Layered is built for linux-riscv64", warning, StringComparison.Ordinal);
    }

    private static async Task AssertWorksAsync(PublishedProgram program)
    {
        CommandLine.Result result = await program.RunAsync();
        Assert.True(result.ExitCode == 0, result.ToString());
        Assert.Equal("reports-worker on the core Native\n", result.Output);
    }
}
