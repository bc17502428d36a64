using NativeThreading.Workloads;
using NativeThreading.Workloads.Http;

namespace NativeThreading.Tests.KestrelCommand;

/// <summary>What h2load and perf write is read as it was meant.</summary>
public sealed class LogsTests
{
    private static readonly TimeSpan s_window = TimeSpan.FromSeconds(1);

    [Fact]
    public void LogOfH2Load_IsRead()
    {
        HttpLoadResult result = H2LoadLog.Parse(["1700000000000123\t200\t250", "1700000000000456\t200\t1500", "1700000000000789\t200\t500"], s_window);
        Assert.Equal(new HttpLoadResult(3, 1, 0.5, 1.5, 1.5), result);
    }

    [Theory]
    [InlineData("1700000000000123\t503\t250")]
    [InlineData("1700000000000123\t-1\t250")]
    [InlineData("1700000000000123\t200")]
    public void RequestThatFailed_IsAnError(string line)
    {
        var error = Assert.Throws<MeasurementException>(() => H2LoadLog.Parse(["1700000000000001\t200\t250", line], s_window));
        Assert.Contains(line, error.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void ReportOfPerf_IsRead() =>
        Assert.Equal(29, PerfReport.SystemCallsIn("# started on Wed Nov 25 09:14:09 2026\n\n29,,raw_syscalls:sys_enter,979308,100.00,,\n"));

    [Theory]
    [InlineData("<not supported>,,raw_syscalls:sys_enter,0,100.00,,\n")]
    [InlineData("")]
    public void ReportWithoutACount_HasNone(string report) => Assert.Null(PerfReport.SystemCallsIn(report));
}
