using NativeThreading.Workloads.Http;

namespace NativeThreading.Tests.KestrelCommand;

/// <summary>The scripts are in the directory that wrk gets, and print the lines that are read.</summary>
public sealed class WrkScriptsTests
{
    public static TheoryData<string> All => [WrkScripts.Report, WrkScripts.Pipeline, WrkScripts.Post];

    [Theory]
    [MemberData(nameof(All))]
    public void ScriptReports(string path)
    {
        string script = File.ReadAllText(path);
        Assert.Contains(path == WrkScripts.Report ? "done = function(summary, latency, requests)" : "\"report.lua\"", script, StringComparison.Ordinal);
    }

    [Fact]
    public void ReportPrintsWhatIsRead()
    {
        string format = File.ReadLines(WrkScripts.Report).Select(static line => line.Split('\'')).Single(static parts => parts.Length == 3)[1];
        string line = format.Replace("%d", "5", StringComparison.Ordinal).Replace(@"""errors"":5", @"""errors"":0", StringComparison.Ordinal).Replace("\\n", "", StringComparison.Ordinal);
        Assert.Equal(new HttpLoadResult(5, 5e-6, 0.005, 0.005, 0.005), HttpLoadResult.Parse(line));
    }
}
