using NativeThreading.Tests.Support;

namespace NativeThreading.Processes.Tests.Cluster;

/// <summary>The sample Cluster as its users run it: a short one of what .ci/full does with 10,000 items.</summary>
public sealed class SampleTests
{
    [Fact]
    public async Task OneNode_NeedsNoDatabase()
    {
        CommandLine.Result result = await Sample.RunAsync("--items", "200", "--keys", "7", "--database", "memory");
        Sample.AssertExact(result, 200);
    }

    [Fact]
    public async Task SeveralSchedulersOfOneNode_NeedNoDatabase()
    {
        CommandLine.Result result = await Sample.RunAsync("--items", "200", "--schedulers", "3", "--concurrency", "4", "--database", "memory");
        Sample.AssertExact(result, 200);
    }

    /// <summary>They share what one node may do at once.</summary>
    [Theory]
    [InlineData("0", "20")]
    [InlineData("5", "4")]
    public async Task SchedulersWithoutRoomForAnItem_AreRefused(string schedulers, string concurrency)
    {
        CommandLine.Result result = await Sample.RunAsync("--schedulers", schedulers, "--concurrency", concurrency, "--database", "memory");
        Assert.Equal(2, result.ExitCode);
        Assert.Contains($"1 to {concurrency} schedulers", result.Error, StringComparison.Ordinal);
        Assert.Empty(result.Output);
    }

    [Fact]
    public async Task SeveralNodesWithoutADatabase_AreRefused()
    {
        CommandLine.Result result = await Sample.RunAsync("--nodes", "2", "--database", "memory");
        Assert.Equal(2, result.ExitCode);
        Assert.Contains("2 nodes need a database", result.Error, StringComparison.Ordinal);
        Assert.Empty(result.Output);
    }
}
