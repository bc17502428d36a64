using NativeThreading.Packaging.Tests.Support;
using NativeThreading.Tests.Support;

namespace NativeThreading.Packaging.Tests.Content;

/// <summary>What is built for tests and tables never becomes a package.</summary>
public sealed class BuildsOfTheirOwnTests(PackageFeed feed)
{
    [Theory]
    [InlineData("Chaos", "error NTH0006: A build with Chaos=true")]
    [InlineData("Counters", "error NTH0007: A build with Counters=true")]
    public async Task BuildOfItsOwn_IsNeverPacked(string build, string error)
    {
        (CommandLine.Result result, string package) = await feed.PackAgainAsync($"{build}=true");
        Assert.True(result.ExitCode != 0, result.ToString());
        Assert.False(File.Exists(package));
        Assert.Contains(error, result.Output, StringComparison.Ordinal);
    }
}
