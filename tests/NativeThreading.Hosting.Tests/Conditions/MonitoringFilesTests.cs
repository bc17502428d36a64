using System.Net;
using System.Net.Sockets;
using System.Text.Json;
using System.Text.RegularExpressions;
using Microsoft.Extensions.DependencyInjection;
using NativeThreading.Hosting.Tests.Metrics;
using NativeThreading.Hosting.Tests.Support;
using OpenTelemetry;
using OpenTelemetry.Metrics;

namespace NativeThreading.Hosting.Tests.Conditions;

/// <summary>The alerts and the dashboard use the names that the real Prometheus exporter writes.</summary>
[Collection(nameof(OpenTelemetryTests))]
public sealed partial class MonitoringFilesTests
{
    [Fact]
    public async Task AlertsAndDashboard_UseTheNamesOfTheExporter()
    {
        int port = FreePort();
        using MeterProvider provider = Sdk.CreateMeterProviderBuilder()
            .AddMeter("NativeThreading")
            .AddPrometheusHttpListener(options => (options.Host, options.Port) = ("localhost", port))
            .Build();
        await using TestHost host = await new TestHost(services => services
            .AddNativeThreadPool("scraped", options => (options.MaxThreads, options.MeasureQueueDuration) = (1, true)).Services
            .AddEventLoopGroup("scraped", static options => options.LoopCount = 1)).StartAsync();
        await Deadline.For(host.Pool("scraped").Run(static () => { }, TestContext.Current.CancellationToken));

        using var client = new HttpClient();
        string scraped = await Deadline.For(client.GetStringAsync(new Uri($"http://localhost:{port}/metrics"), TestContext.Current.CancellationToken));
        HashSet<string> written = [.. scraped.Split('\n').Where(static line => line is [not '#', ..]).Select(static line => line[..line.IndexOfAny(['{', ' '])])];
        HashSet<string> labels = [.. Label().Matches(scraped).Select(static label => label.Groups[1].Value)];

        string alerts = Read("alerts.yml"), dashboard = Read("grafana.json");
        string[] used = [.. Name().Matches(alerts + dashboard).Select(static name => name.Value).Distinct()];
        Assert.InRange(used.Length, 12, 40);
        Assert.All(used, name => Assert.True(written.Contains(name) || labels.Contains(name), name));
        Assert.All(ConditionId().Matches(alerts), id => Assert.NotNull(ConditionKind.Of(id.Groups[1].Value)));
        Assert.Equal(8, JsonElement.Parse(dashboard).GetProperty("panels").GetArrayLength());
    }

    private static string Read(string file) => File.ReadAllText(Path.Combine(SourceTree.Root, "docs", "reference", "monitoring", file));

    private static int FreePort()
    {
        using var listener = new TcpListener(IPAddress.Loopback, 0);
        listener.Start();
        return ((IPEndPoint)listener.LocalEndpoint).Port;
    }

    [GeneratedRegex(@"\bnative_threading_\w+")]
    private static partial Regex Name();

    [GeneratedRegex(@"[{,](\w+)=""")]
    private static partial Regex Label();

    [GeneratedRegex(@"native_threading_condition=""([\w-]+)""")]
    private static partial Regex ConditionId();
}
