using System.Collections.Concurrent;
using Microsoft.Extensions.DependencyInjection;
using NativeThreading.Hosting.Tests.Support;
using OpenTelemetry;
using OpenTelemetry.Metrics;

namespace NativeThreading.Hosting.Tests.Metrics;

/// <summary>The real SDK collects and exports what a hosted pool does.</summary>
/// <remarks>
/// Alone in the process: the SDK takes meters of one name for one, so that the end of another test's container would end the
/// export of this one's counts as well.
/// </remarks>
[Collection(nameof(OpenTelemetryTests))]
[CollectionDefinition(nameof(OpenTelemetryTests), DisableParallelization = true)]
public sealed class OpenTelemetryTests
{
    [Fact]
    public async Task Sdk_ExportsTheCountsOfAHostedPool_ToTheVeryEnd()
    {
        using var exporter = new Exporter();
        using MeterProvider provider = Sdk.CreateMeterProviderBuilder()
            .AddMeter("NativeThreading")
            .AddReader(new BaseExportingMetricReader(exporter))
            .Build();
        await using TestHost host = await new TestHost(services =>
            services.AddNativeThreadPool("otel", options => (options.MinThreads, options.MaxThreads, options.MeasureQueueDuration) = (2, 2, true))).StartAsync();
        Assert.True(provider.ForceFlush());
        Assert.Equal((2, 0), (exporter.Last("thread.count"), exporter.Last("work_item.count")));

        for (int i = 0; i < 100; i++)
        {
            host.Pool("otel").QueueUserWorkItem(_ => { });
        }

        await host.StopAsync();
        Assert.True(provider.ForceFlush());
        Assert.Equal((0, 100, 0), (exporter.Last("thread.count"), exporter.Last("work_item.count"), exporter.Last("queue.length")));
        Assert.Equal(100, exporter.Last("queue.duration")); // the number of measurements
        Assert.Equal("s", exporter.Units["queue.duration"]);
        Assert.Equal("{work_item}", exporter.Units["work_item.count"]);
    }

    /// <summary>Keeps the last value of each instrument of the pool; of histograms the count.</summary>
    private sealed class Exporter : BaseExporter<Metric>
    {
        private readonly ConcurrentDictionary<string, double> _last = new();

        public ConcurrentDictionary<string, string> Units { get; } = new();

        public double Last(string instrument) => _last.GetValueOrDefault(instrument, double.NaN);

        public override ExportResult Export(in Batch<Metric> batch)
        {
            foreach (Metric metric in batch)
            {
                if (!metric.Name.StartsWith("native_threading.pool.", StringComparison.Ordinal))
                {
                    continue;
                }

                foreach (ref readonly MetricPoint point in metric.GetMetricPoints())
                {
                    if (IsOfThePool(point))
                    {
                        string name = metric.Name["native_threading.pool.".Length..];
                        Units[name] = metric.Unit;
                        _last[name] = metric.MetricType == MetricType.Histogram ? point.GetHistogramCount() : point.GetSumLong();
                    }
                }
            }

            return ExportResult.Success;
        }

        private static bool IsOfThePool(in MetricPoint point)
        {
            foreach (KeyValuePair<string, object?> tag in point.Tags)
            {
                if (tag is { Key: "native_threading.pool.name", Value: "otel" })
                {
                    return true;
                }
            }

            return false;
        }
    }
}
