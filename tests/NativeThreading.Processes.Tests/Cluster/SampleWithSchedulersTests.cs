using System.Globalization;
using System.Text.RegularExpressions;
using NativeThreading.Tests.Support;

namespace NativeThreading.Processes.Tests.Cluster;

/// <summary>The sample Cluster with several schedulers by shard. In a class of its own, to run in parallel with the others: it waits most of the time.</summary>
public sealed partial class SampleWithSchedulersTests
{
    private const int Items = 600;
    private const int Connections = 4;

    /// <summary>Each scheduler has items, none is in two, and no node has more connections than with one scheduler.</summary>
    [Fact]
    public async Task SeveralSchedulers_ShareTheItemsAndTheConnections()
    {
        Sample.RequirePostgres();
        CommandLine.Result result = await Sample.RunAsync(
            "--nodes", "2", "--items", $"{Items}", "--schedulers", "3", "--concurrency", "20", "--connections", $"{Connections}");
        Sample.AssertExact(result, Items);
        Assert.EndsWith("repeated attempts 0", result.Output.TrimEnd(), StringComparison.Ordinal);

        int[] shares = [.. ByScheduler().Match(result.Output).Groups[1].Value.Split(", ").Select(share => int.Parse(share, CultureInfo.InvariantCulture))];
        Assert.Equal(3, shares.Length);
        Assert.Equal(Items, shares.Sum());
        Assert.All(shares, share => Assert.InRange(share, Items / 6, Items / 2)); // a third, if the hash is any good

        // Those of two nodes and of the coordinator.
        Assert.InRange(int.Parse(Held().Match(result.Output).Groups[1].Value, CultureInfo.InvariantCulture), 3, 3 * Connections);
    }

    /// <summary>One node killed, one stopped for longer than the others wait for it, the database restarted: each scheduler recovers its items.</summary>
    [Fact]
    public async Task SeveralSchedulers_LoseAndDoubleNothing_WhenNodesDieAndStop()
    {
        Sample.RequirePostgres();
        CommandLine.Result result = await Sample.RunAsync(
            "--nodes", "3", "--items", $"{Items}", "--schedulers", "3", "--wait-ms", "100", "--concurrency", "10", "--chaos");
        Sample.AssertExact(result, Items);
        Assert.Contains("node-1 (killed)", result.Output, StringComparison.Ordinal);
        Assert.Contains("node-3 (continued)", result.Output, StringComparison.Ordinal);
    }

    [GeneratedRegex("by scheduler ([0-9, ]+)")]
    private static partial Regex ByScheduler();

    [GeneratedRegex("([0-9]+) connections")]
    private static partial Regex Held();
}
