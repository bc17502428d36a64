using NativeThreading.Packaging.Tests.Content;
using NativeThreading.Packaging.Tests.Support;
using NativeThreading.Tests.Support;

namespace NativeThreading.Packaging.Tests.Running;

/// <summary>T100: a host whose pool's options are bound and validated in a trimmed program, where reflection finds nothing.</summary>
public sealed class HostedTests(PackageFeed feed)
{
    [Fact, Trait("Category", "Long")]
    public async Task T100_Trimmed_BindsAndValidatesOptions()
    {
        PublishedProgram program = await new Consumer(feed, "Hosted").PublishAsync(
            $"RuntimeIdentifier={NativePlatforms.Own}", "PublishTrimmed=true", "EnableAotAnalyzer=true");
        await AssertBindsAndValidatesAsync(program);
    }

    /// <summary>A program that references two of the packages.</summary>
    [Fact, Trait("Category", "Long")]
    public async Task T100_CompiledAhead_WithTwoPackages_BindsAndValidatesOptions_AndIsOneFile()
    {
        Requirement.Program("gcc");
        PublishedProgram program = await new Consumer(feed, "Hosted").PublishAsync(
            $"RuntimeIdentifier={NativePlatforms.Own}", "NativeAot=true", "Both=true", "CppCompilerAndLinker=gcc");
        Assert.Equal(["Hosted"], program.FilesWithoutSymbols);
        await AssertBindsAndValidatesAsync(program);
    }

    [Theory]
    [InlineData("net9.0")]
    public async Task T95_ForAnEarlierFramework_WithItsRuntime(string framework)
    {
        PublishedProgram program = await new Consumer(feed, "Hosted").PublishAsync(
            $"RuntimeIdentifier={NativePlatforms.Own}", "SelfContained=true", $"ConsumerFramework={framework}");
        await AssertBindsAndValidatesAsync(program);
    }

    private static async Task AssertBindsAndValidatesAsync(PublishedProgram program)
    {
        CommandLine.Result valid = await program.RunAsync("3");
        Assert.True(valid.ExitCode == 0, valid.ToString());
        Assert.Equal("threads: 3\nrun: reports\nhealth: Healthy\n", valid.Output);

        CommandLine.Result invalid = await program.RunAsync("0");
        Assert.True(invalid.ExitCode == 2, invalid.ToString());
        Assert.Contains("NativeThreading:Pools:reports:MaxThreads", invalid.Output, StringComparison.Ordinal);
    }
}
