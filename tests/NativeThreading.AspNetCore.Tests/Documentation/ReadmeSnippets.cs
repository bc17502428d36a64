using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.DependencyInjection;
using NativeThreading;
using NativeThreading.Tests.Support;

namespace NativeThreading.AspNetCore.Tests.Documentation;

/// <summary>
/// The code of README.md that needs a server, and the first of docs/reference/aspnet-core.md, run. The packaging tests also compile this file for .NET 9,
/// so it uses nothing else of this project.
/// </summary>
public sealed class ReadmeSnippets
{
    [Fact]
    public async Task OneEndpointOnItsOwnPool()
    {
        WebApplicationBuilder builder = WebApplication.CreateSlimBuilder();
        builder.WebHost.UseUrls("http://127.0.0.1:0");

        builder.Services.AddNativeThreadPool("reports", options => options.MaxThreads = 4);

        await using WebApplication app = builder.Build();
        app.MapGet("/products/{id}", (int id) => $"product {id}");                       // on the built-in pool, as before
        app.MapGet("/report", () => Reports.Render()).RunOnNativeThreadPool("reports");  // on its own pool

        await Deadline.For(app.StartAsync());
        using var client = new HttpClient { BaseAddress = new Uri(app.Urls.Single()) };
        Assert.Equal("product 7", await Deadline.For(client.GetStringAsync(new Uri("/products/7", UriKind.Relative))));
        Assert.Equal("reports", await Deadline.For(client.GetStringAsync(new Uri("/report", UriKind.Relative))));
        await Deadline.For(app.StopAsync());
    }

    private static class Reports
    {
        public static string Render() => NativeThreadPool.Current?.Name ?? "elsewhere";
    }
}
