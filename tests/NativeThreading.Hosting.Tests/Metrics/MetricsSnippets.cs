using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Diagnostics.HealthChecks;
using OpenTelemetry;
using OpenTelemetry.Metrics;

namespace NativeThreading.Hosting.Tests.Metrics;

/// <summary>The code of docs/reference/metrics.md, run. DocumentationTests compares the two.</summary>
public sealed class MetricsSnippets
{
    [Fact]
    public void OpenTelemetry()
    {
        var services = new ServiceCollection();
        int exported = 0;
        using BaseExporter<Metric> exporter = new CountingExporter(() => exported++);
        services.AddNativeThreadPool("reports", options => options.MeasureQueueDuration = true);

        using MeterProvider provider = Sdk.CreateMeterProviderBuilder()
            .AddMeter("NativeThreading")
            .AddReader(new BaseExportingMetricReader(exporter))
            .Build();
        using ServiceProvider built = services.BuildServiceProvider();
        _ = built.GetRequiredKeyedService<NativeThreadPool>("reports");
        provider.ForceFlush();
        Assert.InRange(exported, 9, int.MaxValue);
    }

    [Fact]
    public async Task Health()
    {
        var services = new ServiceCollection();
        services.AddLogging();
        services.AddNativeThreadPool("reports")
            .AddHealthCheck(limits =>
            {
                limits.MaxWorkItemAge = TimeSpan.FromSeconds(5);
                limits.MaxBlockedDuration = TimeSpan.FromSeconds(2);
            });
        await using ServiceProvider provider = services.BuildServiceProvider();
        HealthReport report = await provider.GetRequiredService<HealthCheckService>().CheckHealthAsync(TestContext.Current.CancellationToken);
        Assert.Equal(HealthStatus.Healthy, report.Entries["native-threading:reports"].Status);
    }

    private sealed class CountingExporter(Action exported) : BaseExporter<Metric>
    {
        public override ExportResult Export(in Batch<Metric> batch)
        {
            foreach (Metric metric in batch)
            {
                exported();
            }

            return ExportResult.Success;
        }
    }
}
