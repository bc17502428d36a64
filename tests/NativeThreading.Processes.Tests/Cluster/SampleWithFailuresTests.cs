using NativeThreading.Tests.Support;

namespace NativeThreading.Processes.Tests.Cluster;

/// <summary>The sample Cluster while nodes and the database fail. In a class of its own, to run in parallel with the others: it waits most of the time.</summary>
public sealed class SampleWithFailuresTests
{
    /// <summary>One node killed, one stopped for longer than the others wait for it, the database restarted: each item counts once.</summary>
    [Fact]
    public async Task NodesThatDieAndThatStop_LoseAndDoubleNothing()
    {
        Sample.RequirePostgres();
        CommandLine.Result result = await Sample.RunAsync("--nodes", "3", "--items", "600", "--wait-ms", "100", "--concurrency", "10", "--chaos");
        Sample.AssertExact(result, 600);
        Assert.Contains("node-1 (killed)", result.Output, StringComparison.Ordinal);
        Assert.Contains("node-3 (continued)", result.Output, StringComparison.Ordinal);
    }
}
