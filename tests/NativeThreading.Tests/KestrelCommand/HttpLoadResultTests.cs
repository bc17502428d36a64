using NativeThreading.Workloads;
using NativeThreading.Workloads.Http;

namespace NativeThreading.Tests.KestrelCommand;

/// <summary>What the load generators print is read as it was meant, and no figure is made of requests that failed.</summary>
public sealed class HttpLoadResultTests
{
    private static readonly TimeSpan s_window = TimeSpan.FromSeconds(2);

    [Fact]
    public void LineOfWrk_IsRead()
    {
        var result = HttpLoadResult.Parse("""{"answers":158014,"us":2000123,"p50":390,"p99":1204,"p999":4100,"errors":0}""");
        Assert.Equal(new HttpLoadResult(158014, 2.000123, 0.39, 1.204, 4.1), result);
    }

    [Fact]
    public void FailedRequests_AreAnError()
    {
        var error = Assert.Throws<MeasurementException>(
            static () => HttpLoadResult.Parse("""{"answers":158014,"us":2000123,"p50":390,"p99":1204,"p999":4100,"errors":3}"""));
        Assert.Contains("3 requests failed", error.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void WindowWithoutAnAnswer_CountsAsALatency()
    {
        var result = HttpLoadResult.Parse("""{"answers":0,"us":2000000,"p50":0,"p99":0,"p999":0,"errors":0}""");
        Assert.Equal(new HttpLoadResult(0, 2, 2000, 2000, 2000), result);
    }

    [Theory]
    [InlineData("unable to connect to 127.0.0.1:80 Connection refused")]
    [InlineData("""{"answers":1}""")]
    public void AnotherLine_IsAnError(string line) => Assert.Throws<MeasurementException>(() => HttpLoadResult.Parse(line));

    [Fact]
    public void LineOfTheBuiltInClient_IsReadAsItWasWritten()
    {
        var result = HttpLoadResult.Parse(HttpLoadResult.Line(Enumerable.Range(1, 1000).Select(static i => i * 1000.0).Reverse(), s_window));
        Assert.Equal(new HttpLoadResult(1000, 2, 501, 991, 1000), result);
    }

    [Fact]
    public void ErrorsOfTheBuiltInClient_AreAnError() =>
        Assert.Throws<MeasurementException>(static () => HttpLoadResult.Parse(HttpLoadResult.Line([1000], s_window, errors: 1)));
}
