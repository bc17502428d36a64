using System.Net;
using System.Reflection;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.TestHost;
using Microsoft.Extensions.Logging;
using NativeThreading.AspNetCore.Tests.Support;
using NativeThreading.Tests.Support;

namespace NativeThreading.AspNetCore.Tests.Endpoints;

/// <summary>
/// Endpoints on pools where no pool was added at all. This project imports what the package brings into applications; the
/// package's own tests do the same with the package.
/// </summary>
public sealed class WithoutAnyPoolTests
{
    private static readonly WebApplicationOptions s_options = new() { ApplicationName = typeof(WithoutAnyPoolTests).Assembly.GetName().Name };

    public static TheoryData<string, Action<WebApplication>> Endpoints() => new()
    {
        { "convention", app => app.MapGet("/report", () => "").RunOnNativeThreadPool("reports") },
        { "attribute", app => app.MapGet("/report", [RunOnNativeThreadPool("reports")] () => "") },
        { "group", app => app.MapGroup("/report").RunOnNativeThreadPool("reports").MapGet("", () => "") },
    };

    [Theory]
    [MemberData(nameof(Endpoints))]
    public async Task TheStartFails_AndNamesEndpointPoolAndCure(string how, Action<WebApplication> map)
    {
        WebApplicationBuilder builder = WebApplication.CreateBuilder(s_options);
        builder.WebHost.UseTestServer();
        await using WebApplication app = builder.Build();
        map(app);

        var refused = await Assert.ThrowsAsync<InvalidOperationException>(() => Deadline.For(app.StartAsync(), how));

        Assert.Contains("/report", refused.Message, StringComparison.Ordinal);
        Assert.Contains("""services.AddNativeThreadPool("reports")""", refused.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task ApplicationsWithoutEndpointsOnPools_Start()
    {
        WebApplicationBuilder builder = WebApplication.CreateBuilder(s_options);
        builder.WebHost.UseTestServer();
        await using WebApplication app = builder.Build();
        app.MapGet("/", () => Where.AmI);

        await Deadline.For(app.StartAsync());

        Assert.Equal(Where.Runtime, await Deadline.For(app.GetTestClient().GetStringAsync(new Uri("/", UriKind.Relative))));
        await Deadline.For(app.StopAsync());
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task WhereTheHostRunsNoStartups_TheFirstRequestSaysSoInTheLog(bool slim)
    {
        var log = new ErrorRecords();
        WebApplicationBuilder builder = slim
            ? WebApplication.CreateSlimBuilder(s_options)
            : WebApplication.CreateBuilder(new WebApplicationOptions { ApplicationName = s_options.ApplicationName, Args = ["--preventHostingStartup=true"] });
        builder.Logging.ClearProviders().AddProvider(log);
        builder.WebHost.ConfigureKestrel(kestrel => kestrel.Listen(IPAddress.Loopback, 0));
        await using WebApplication app = builder.Build();
        app.MapGet("/report", () => "").RunOnNativeThreadPool("reports");
        await Deadline.For(app.StartAsync());
        using var client = new HttpClient { BaseAddress = new Uri(app.Urls.Single()) };

        for (int i = 0; i < 2; i++)
        {
            using HttpResponseMessage response = await Deadline.For(client.GetAsync(new Uri("/report", UriKind.Relative)));
            Assert.Equal(HttpStatusCode.InternalServerError, response.StatusCode);
        }

        (int id, string text) = Assert.Single(log.OfThisLibrary);
        Assert.Equal(3, id);
        Assert.Contains("/report", text, StringComparison.Ordinal);
        Assert.Contains("""services.AddNativeThreadPool("reports")""", text, StringComparison.Ordinal);
        await Deadline.For(app.StopAsync());
    }

    [Fact]
    public void TheImportedTargets_NameTheStartup()
    {
        HostingStartupAttribute startup = Assert.Single(typeof(WithoutAnyPoolTests).Assembly.GetCustomAttributes<HostingStartupAttribute>());
        Assert.Equal(typeof(NativeThreadPoolHostingStartup), startup.HostingStartupType);
    }
}
