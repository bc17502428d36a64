using OpenTelemetry;
using OpenTelemetry.Metrics;

namespace NativeThreading.Samples.Storefront;

/// <summary>The pools' metrics, next to those of the server.</summary>
internal static class Telemetry
{
    /// <summary>To the collector that OTEL_EXPORTER_OTLP_ENDPOINT names, if it does.</summary>
    public static IDisposable? Export(IConfiguration configuration) => configuration["OTEL_EXPORTER_OTLP_ENDPOINT"] is null ? null : Sdk
        .CreateMeterProviderBuilder()
        .AddMeter("NativeThreading", "Microsoft.AspNetCore.Hosting", "Microsoft.AspNetCore.Server.Kestrel")
        .AddOtlpExporter()
        .Build();
}
