using System.Diagnostics;
using System.Reflection;
using System.Runtime.InteropServices;
using NativeThreading.Tests.Support;

namespace NativeThreading.Processes.Tests.Cluster;

/// <summary>The sample Cluster as a program of its own.</summary>
internal static class Sample
{
    private static readonly TimeSpan s_deadline = TimeSpan.FromMinutes(2.5); // before HangWatch ends the process

    /// <summary>The sample has ended well, and its last line accounts for each item once.</summary>
    public static void AssertExact(CommandLine.Result result, int items)
    {
        Assert.True(result.ExitCode == 0, $"{result}");
        Assert.StartsWith(
            $"items {items}, effects {items}, lost 0, doubled 0, ", result.Output.Split('\n', StringSplitOptions.RemoveEmptyEntries)[^1], StringComparison.Ordinal);
    }

    /// <summary>Skips the test where there is no PostgreSQL, unless NTH_REQUIRE_SERVERS says that this is a failure.</summary>
    public static void RequirePostgres()
    {
        if (!Directory.Exists("/usr/lib/postgresql"))
        {
            const string missing = "PostgreSQL is not installed (apt-get install postgresql).";
            Assert.False(Environment.GetEnvironmentVariable("NTH_REQUIRE_SERVERS") == "1", missing);
            Assert.Skip(missing);
        }
    }

    public static Task<CommandLine.Result> RunAsync(params string[] arguments)
    {
        string program = typeof(Sample).Assembly.GetCustomAttributes<AssemblyMetadataAttribute>().Single(data => data.Key == "ClusterSample").Value!;
        var start = new ProcessStartInfo(program, arguments);
        start.Environment["DOTNET_ROOT"] = Path.GetFullPath(Path.Combine(RuntimeEnvironment.GetRuntimeDirectory(), "..", "..", ".."));
        return CommandLine.RunAsync(start, s_deadline);
    }
}
