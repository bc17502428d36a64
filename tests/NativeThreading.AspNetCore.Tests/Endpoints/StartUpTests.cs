using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Routing;
using Microsoft.Extensions.DependencyInjection;
using NativeThreading.AspNetCore.Tests.Support;

namespace NativeThreading.AspNetCore.Tests.Endpoints;

/// <summary>With an unknown pool the application fails at startup, however the endpoint was mapped, before any request.</summary>
public sealed class StartUpTests
{
    [Fact]
    public async Task MinimalEndpoint() =>
        await FailsAsync(app => app.MapGet("/report", () => "").RunOnNativeThreadPool("nowhere"), mentions: "HTTP: GET /report");

    [Fact]
    public async Task Group() =>
        await FailsAsync(app => app.MapGroup("/group").RunOnNativeThreadPool("nowhere").MapGet("/report", () => ""), mentions: "/group/report");

    [Fact]
    public async Task Controllers() => await FailsAsync(
        app => app.MapControllers().RunOnNativeThreadPool("nowhere"),
        mentions: nameof(ControllerTests.PlainController),
        services => ControllerTests.AddController(services, typeof(ControllerTests.PlainController)));

    [Fact]
    public async Task AttributeOfAController() => await FailsAsync(
        app => app.MapControllers(),
        mentions: nameof(ControllerTests.LostController),
        services => ControllerTests.AddController(services, typeof(ControllerTests.LostController)));

    [Fact]
    public async Task AttributeOfARouteHandler() =>
        await FailsAsync(app => app.MapGet("/report", [RunOnNativeThreadPool("nowhere")] () => ""), mentions: "HTTP: GET /report");

    [Fact]
    public async Task EndpointsOfABranch() => await FailsAsync(
        app => app.Map("/branch", branch => branch.UseRouting().UseEndpoints(endpoints => endpoints.MapGet("/report", () => "").RunOnNativeThreadPool("nowhere"))),
        mentions: "HTTP: GET /report");

    [Fact]
    public async Task Branch() =>
        await FailsAsync(app => app.Map("/branch", branch => branch.UseNativeThreadPool("nowhere")), mentions: "UseNativeThreadPool");

    [Fact]
    public async Task KnownPools_Start()
    {
        await using TestApp app = await TestApp.StartAsync(app =>
        {
            app.MapGet("/a", () => "").RunOnNativeThreadPool("reports");
            app.MapGet("/b", [RunOnNativeThreadPool("other")] () => "");
        });

        Assert.Equal("", await app.GetAsync("/b"));
    }

    private static async Task FailsAsync(Action<WebApplication> configure, string mentions, Action<IServiceCollection>? services = null)
    {
        var exception = await Assert.ThrowsAsync<InvalidOperationException>(async () =>
        {
            await using TestApp app = await TestApp.StartAsync(configure, services);
        });
        Assert.Contains("\"nowhere\"", exception.Message, StringComparison.Ordinal);
        Assert.Contains(mentions, exception.Message, StringComparison.Ordinal);
    }
}
