using System.Diagnostics;
using System.Reflection;
using System.Runtime.InteropServices;

namespace NativeThreading.Quartz.Tests.Cluster;

/// <summary>The sample Cluster as its users run it: a short one of what .ci/full does with 10,000 items.</summary>
public sealed class SampleTests
{
    private static readonly TimeSpan s_deadline = TimeSpan.FromMinutes(2.5); // before HangWatch ends the process

    [Fact]
    public async Task OneNode_NeedsNoDatabase()
    {
        CommandLine.Result result = await RunAsync("--items", "200", "--database", "memory");
        AssertExact(result, 200);
    }

    [Fact]
    public async Task SeveralNodesWithoutADatabase_AreRefused()
    {
        CommandLine.Result result = await RunAsync("--nodes", "2", "--database", "memory");
        Assert.Equal(2, result.ExitCode);
        Assert.Contains("2 nodes need a database", result.Error, StringComparison.Ordinal);
        Assert.Empty(result.Output);
    }

    /// <summary>One node killed, one stopped for longer than the others wait for it, the database restarted: each item counts once.</summary>
    [Fact]
    public async Task NodesThatDieAndThatStop_LoseAndDoubleNothing()
    {
        RequirePostgres();
        CommandLine.Result result = await RunAsync("--nodes", "3", "--items", "600", "--wait-ms", "100", "--concurrency", "10", "--chaos");
        AssertExact(result, 600);
        Assert.Contains("node-1 (killed)", result.Output, StringComparison.Ordinal);
        Assert.Contains("node-3 (continued)", result.Output, StringComparison.Ordinal);
    }

    /// <summary>Forty items at once that share three connections with the scheduler.</summary>
    [Fact]
    public async Task TooFewConnections_OnlyTakeLonger()
    {
        RequirePostgres();
        AssertExact(await RunAsync("--nodes", "2", "--items", "200", "--concurrency", "40", "--connections", "3"), 200);
    }

    private static void AssertExact(CommandLine.Result result, int items)
    {
        Assert.True(result.ExitCode == 0, $"{result}");
        Assert.StartsWith(
            $"items {items}, effects {items}, lost 0, doubled 0, ", result.Output.Split('\n', StringSplitOptions.RemoveEmptyEntries)[^1], StringComparison.Ordinal);
    }

    private static void RequirePostgres()
    {
        if (!Directory.Exists("/usr/lib/postgresql"))
        {
            const string missing = "PostgreSQL is not installed (apt-get install postgresql).";
            Assert.False(Environment.GetEnvironmentVariable("NTH_REQUIRE_SERVERS") == "1", missing);
            Assert.Skip(missing);
        }
    }

    private static Task<CommandLine.Result> RunAsync(params string[] arguments)
    {
        string program = typeof(SampleTests).Assembly.GetCustomAttributes<AssemblyMetadataAttribute>().Single(data => data.Key == "ClusterSample").Value!;
        var start = new ProcessStartInfo(program, arguments);
        start.Environment["DOTNET_ROOT"] = Path.GetFullPath(Path.Combine(RuntimeEnvironment.GetRuntimeDirectory(), "..", "..", ".."));
        return CommandLine.RunAsync(start, s_deadline);
    }
}
