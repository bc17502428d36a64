namespace NativeThreading.Processes.Tests.Cluster;

/// <summary>The sample Cluster with less than it wants. In a class of its own, to run in parallel with the others: it waits most of the time.</summary>
public sealed class SampleWithFewConnectionsTests
{
    /// <summary>Forty items at once that share three connections with the scheduler.</summary>
    [Fact]
    public async Task TooFewConnections_OnlyTakeLonger()
    {
        Sample.RequirePostgres();
        Sample.AssertExact(await Sample.RunAsync("--nodes", "2", "--items", "200", "--concurrency", "40", "--connections", "3"), 200);
    }
}
