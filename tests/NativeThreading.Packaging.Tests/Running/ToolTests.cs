using System.Text.Json;
using NativeThreading.Packaging.Tests.Support;
using NativeThreading.Tests.Support;

namespace NativeThreading.Packaging.Tests.Running;

/// <summary>The tool nthtop, installed from its package as users do.</summary>
public sealed class ToolTests(PackageFeed feed)
{
    [Fact]
    public void Package_SaysWhatItIs_AndHoldsThatAlone()
    {
        using PackageFile package = feed.Open(PackageFeed.Tool);
        Assert.Equal(feed.Version, package.Metadata.Element("version")!.Value);
        Assert.Equal("DotnetTool", package.Metadata.Descendants("packageType").Single().Attribute("name")!.Value);
        Assert.Equal(PackageFeed.ProjectUrl, package.Metadata.Element("projectUrl")!.Value);
        Assert.Equal("MIT", package.Metadata.Element("license")!.Value);
        Assert.All((string[])["README.md", "icon.png", "THIRD-PARTY-NOTICES.txt", "tools/net10.0/any/nthtop.dll"], entry => Assert.Contains(entry, package.Entries));

        // No native code of others, and the notices name each assembly of others.
        Assert.DoesNotContain(package.Entries, static entry => entry.Contains("/native/", StringComparison.Ordinal) || entry.Contains("/amd64/", StringComparison.Ordinal));
        string notices = File.ReadAllText(Path.Combine(PackageFeed.RepositoryRoot, "THIRD-PARTY-NOTICES.txt"));
        string[] withTraceEvent = ["Dia2Lib", "TraceReloggerLib", "Microsoft.Diagnostics.FastSerialization"];
        Assert.All(
            package.Entries.Where(static entry => entry.EndsWith(".dll", StringComparison.Ordinal)).Select(Path.GetFileNameWithoutExtension).Except([.. withTraceEvent, "nthtop"]),
            name => Assert.Contains(name!, notices, StringComparison.Ordinal));
    }

    [Fact]
    public async Task Installed_ItReadsAProcess()
    {
        string place = Path.Combine(feed.Workspace, "tool");
        await DotNet.SucceedAsync(feed.Workspace, feed.NuGetSettings, "tool", "install", PackageFeed.Tool, "--version", feed.Version, "--add-source", feed.Location, "--tool-path", place);
        CommandLine.Result result = await CommandLine.RunAsync(Path.Combine(place, "nthtop"), [], feed.Workspace, Deadline.Time);
        Assert.Equal(2, result.ExitCode);
        Assert.StartsWith("Usage: nthtop URL|PID", result.Error, StringComparison.Ordinal);

        result = await CommandLine.RunAsync(Path.Combine(place, "nthtop"), [$"{Environment.ProcessId}", "--once", "--json"], feed.Workspace, Deadline.Time);
        Assert.True(result.ExitCode is 0 or 1, result.ToString()); // the built-in pool of these tests may starve
        JsonElement sample = JsonElement.Parse(result.Output);
        Assert.Equal(Environment.ProcessId, sample.GetProperty("process").GetProperty("id").GetInt32());
        Assert.True(sample.GetProperty("runtimePool").GetProperty("threads").GetInt32() > 0);
    }
}
