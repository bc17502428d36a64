using NativeThreading.Packaging.Tests.Content;
using NativeThreading.Packaging.Tests.Support;
using NativeThreading.Tests.Support;

namespace NativeThreading.Packaging.Tests.Running;

/// <summary>What the package puts into an application: endpoints on pools are checked at its start, also where it adds no pool.</summary>
public sealed class EndpointsTests(PackageFeed feed)
{
    private static readonly string s_ownPlatform = $"RuntimeIdentifier={NativePlatforms.Own}";

    [Fact]
    public async Task WithoutAnyPool_TheStartFails_AndThereAreNoEventLoops()
    {
        PublishedProgram program = await new Consumer(feed, "Endpoints").PublishAsync(s_ownPlatform, "SelfContained=false");
        Assert.Contains("NativeThreading.Hosting.dll", program.FilesWithoutSymbols);
        Assert.DoesNotContain("NativeThreading.EventLoops.dll", program.FilesWithoutSymbols);
        await AssertStartFailsAsync(program);
    }

    [Fact, Trait("Category", "Long")]
    public async Task T97_Trimmed_WithoutAnyPool_TheStartFails() =>
        await AssertStartFailsAsync(await new Consumer(feed, "Endpoints").PublishAsync(s_ownPlatform, "PublishTrimmed=true"));

    [Fact]
    public async Task WhoDoesNotWantTheStartup_LeavesItOut()
    {
        PublishedProgram program = await new Consumer(feed, "Endpoints").PublishAsync(
            s_ownPlatform, "SelfContained=false", "NativeThreadingHostingStartup=false");
        Assert.Equal("started\n", (await program.RunAsync("attribute")).Output);
    }

    private static async Task AssertStartFailsAsync(PublishedProgram program)
    {
        foreach (string how in new[] { "call", "attribute" })
        {
            CommandLine.Result result = await program.RunAsync(how);
            Assert.True(result.ExitCode == 2, result.ToString());
            Assert.Contains("/report", result.Output, StringComparison.Ordinal);
            Assert.Contains("services.AddNativeThreadPool(\"reports\")", result.Output, StringComparison.Ordinal);
        }

        Assert.Equal("started\n", (await program.RunAsync("none")).Output);
    }
}
