using System.Diagnostics.Metrics;
using System.Text.RegularExpressions;
using Microsoft.Extensions.DependencyInjection;
using NativeThreading.Hosting.Tests.Support;

namespace NativeThreading.Hosting.Tests.Metrics;

/// <summary>Which instruments there are, and on which meter.</summary>
public sealed partial class InstrumentTests
{
    [Theory]
    [InlineData("pool", 15)]
    [InlineData("loop", 3)]
    public async Task T116_Instruments_AreThoseOfTheDocumentation_AndNoneIsTheRuntimes(string of, int count)
    {
        string[] documented = [.. Row().Matches(File.ReadAllText(Path.Combine(SourceTree.Root, "docs", "reference", "metrics.md")))
            .Where(row => row.Groups["name"].Value.StartsWith($"native_threading.{of}.", StringComparison.Ordinal))
            .Select(row => $"{row.Groups["name"]} {row.Groups["kind"]} {row.Groups["unit"]}").Order()];
        Assert.Equal(count, documented.Length);
        await using var host = new TestHost(services =>
        {
            services.AddNativeThreadPool("reports");
            services.AddEventLoopGroup("io", options => options.LoopCount = 1);
        });
        _ = (host.Pool("reports"), host.Provider.GetRequiredKeyedService<EventLoopGroup>("io"));
        using var meter = new MeterRecord(host.Provider.GetRequiredService<IMeterFactory>(), of: of);
        Assert.Equal(documented, meter.Instruments.Select(instrument => $"{instrument.Name} {Kind(instrument)} {instrument.Unit}").Order());
        Assert.All(meter.Instruments, instrument => Assert.NotEmpty(instrument.Description!));
    }

    [Fact]
    public async Task PoolsOfAContainer_ReportToItsMeter_OtherPoolsToTheStaticOne_NoneToBoth()
    {
        await using var first = new TestHost(services =>
        {
            services.AddNativeThreadPool("meter-a");
            services.AddNativeThreadPool("meter-b");
        });
        await using var second = new TestHost(services => services.AddNativeThreadPool("meter-c"));
        _ = (first.Pool("meter-a"), first.Pool("meter-b"), second.Pool("meter-c"));
        using var own = new NativeThreadPool(new NativeThreadPoolOptions { Name = "meter-own" }); // the process has a meter by now, so this pool creates the static one at once

        using var firstMeter = new MeterRecord(first.Provider.GetRequiredService<IMeterFactory>());
        using var secondMeter = new MeterRecord(second.Provider.GetRequiredService<IMeterFactory>());
        using var staticMeter = new MeterRecord(scope: null);
        Assert.Equal(["meter-a", "meter-b"], firstMeter.Names.Order());
        Assert.Equal(["meter-c"], secondMeter.Names);
        Assert.Contains("meter-own", staticMeter.Names);
        Assert.DoesNotContain(staticMeter.Names, pool => pool is "meter-a" or "meter-b" or "meter-c");
        Assert.Equal(15, firstMeter.Instruments.Count); // one set for both pools
        Assert.Single(firstMeter.Instruments.Select(instrument => instrument.Meter).Distinct());
    }

    [Fact]
    public async Task MeterOfAContainer_EndsWithIt()
    {
        var host = new TestHost(services => services.AddNativeThreadPool("reports"));
        _ = host.Pool("reports");
        using var meter = new MeterRecord(host.Provider.GetRequiredService<IMeterFactory>());
        Assert.Equal(0, meter.Now("reports", "thread.count"));
        await host.DisposeAsync();
        int before = meter.All("reports", "thread.count").Length;
        meter.Now("reports", "thread.count");
        Assert.Equal(before, meter.All("reports", "thread.count").Length);
    }

    private static string Kind(Instrument instrument) => instrument switch
    {
        ObservableUpDownCounter<long> => "up-down counter",
        ObservableCounter<long> or ObservableCounter<double> => "counter",
        Histogram<double> => "histogram",
        _ => instrument.GetType().Name,
    };

    [GeneratedRegex(@"^\| `(?<name>[\w.]+)` \| (?<kind>[\w -]+?) \| `(?<unit>[^`]+)` \|", RegexOptions.Multiline)]
    private static partial Regex Row();
}
