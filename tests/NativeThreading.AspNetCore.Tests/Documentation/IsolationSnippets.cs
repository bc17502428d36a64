using System.IO.Pipelines;
using System.Net;
using System.Text;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Mvc;
using Microsoft.AspNetCore.Routing;
using Microsoft.AspNetCore.SignalR;
using Microsoft.AspNetCore.TestHost;
using Microsoft.Extensions.DependencyInjection;
using NativeThreading;
using NativeThreading.AspNetCore;
using NativeThreading.AspNetCore.Tests.Endpoints;
using NativeThreading.AspNetCore.Tests.Hubs;
using NativeThreading.AspNetCore.Tests.Support;
using NativeThreading.Tests.Support;

namespace NativeThreading.AspNetCore.Tests.Documentation;

/// <summary>The code of docs/reference/aspnet-core.md, run.</summary>
public sealed class IsolationSnippets
{
    [Fact]
    public async Task GroupsControllersAndBranches()
    {
        WebApplicationBuilder builder = NewBuilder();
        builder.Services.AddNativeThreadPool("reports");
        builder.Services.AddNativeThreadPool("exports");
        ControllerTests.AddController(builder.Services, typeof(StockController));
        await using WebApplication app = builder.Build();

        RouteGroupBuilder reports = app.MapGroup("/reports").RunOnNativeThreadPool("reports");
        reports.MapGet("/sales", () => Reports.Render());
        reports.MapGet("/export", () => Reports.Render()).RunOnNativeThreadPool("exports");     // a second pool, instead of the group's

        app.MapControllers();                                                                   // those with the attribute below
        app.Map("/legacy", legacy => legacy.UseNativeThreadPool("reports").Run(Reports.WriteAsync));

        await ServesAsync(
            app, ("/reports/sales", "reports"), ("/reports/export", "exports"), ("/stock", "reports"), ("/legacy", "reports"));
    }

    [Fact]
    public async Task SignalR()
    {
        WebApplicationBuilder builder = WebApplication.CreateBuilder();
        builder.WebHost.ConfigureKestrel(kestrel => kestrel.Listen(IPAddress.Loopback, 0));

        builder.Services.AddNativeThreadPool("mail");
        builder.Services.AddSignalR();

        await using WebApplication app = builder.Build();
        app.MapHub<MailHub>("/mail").RunOnNativeThreadPool("mail");

        await Deadline.For(app.StartAsync());
        await using (HubClient client = await HubClient.ConnectAsync(new Uri(app.Urls.Single()), "/mail"))
        {
            Assert.Equal("mail", await client.CallAsync("Send"));
        }

        await Deadline.For(app.StopAsync());
    }

    [Fact]
    public async Task TooMuch()
    {
        WebApplicationBuilder builder = NewBuilder();
        builder.Services.AddNativeThreadPool("reports", options => options.QueueLimit = 100);
        builder.Services.AddNativeThreadPoolEndpoints(options => options.RetryAfter = TimeSpan.FromSeconds(5));
        await using WebApplication app = builder.Build();
        NativeThreadPool pool = app.Services.GetRequiredKeyedService<NativeThreadPool>("reports");
        app.MapGet("/", () => pool.QueueLimit).RunOnNativeThreadPool("reports");

        await ServesAsync(app, ("/", "100"));
    }

    [Fact]
    public async Task Pipes()
    {
        await using var pool = new NativeThreadPool();
        var pipe = new Pipe(new PipeOptions(readerScheduler: pool.PipeScheduler, writerScheduler: pool.PipeScheduler, useSynchronizationContext: false));

        Task<ReadResult> read = pipe.Reader.ReadAsync().AsTask();
        await pipe.Writer.WriteAsync("hello"u8.ToArray());

        Assert.Equal("hello", Encoding.ASCII.GetString((await Deadline.For(read)).Buffer));
    }

    [Fact]
    public async Task InTestsOfYourOwn()
    {
        WebApplicationBuilder builder = NewBuilder();
        IServiceCollection services = builder.Services;
        services.AddNativeThreadPool("reports");
        services.AddKeyedSingleton("reports", (_, _) => new NativeThreadPool(new NativeThreadPoolOptions { Name = "reports", MaxThreads = 1 }));
        await using WebApplication app = builder.Build();
        app.MapGet("/", ([FromKeyedServices("reports")] NativeThreadPool pool) => $"{Where.AmI} {pool.MaxThreads}").RunOnNativeThreadPool("reports");

        await ServesAsync(app, ("/", "reports 1"));
    }

    private static WebApplicationBuilder NewBuilder()
    {
        WebApplicationBuilder builder = WebApplication.CreateBuilder();
        builder.WebHost.UseTestServer();
        return builder;
    }

    private static async Task ServesAsync(WebApplication app, params (string Path, string Answer)[] requests)
    {
        await Deadline.For(app.StartAsync());
        foreach ((string path, string answer) in requests)
        {
            Assert.Equal(answer, await Deadline.For(app.GetTestClient().GetStringAsync(new Uri(path, UriKind.Relative))));
        }

        await Deadline.For(app.StopAsync());
    }

    private static class Reports
    {
        public static string Render() => Where.AmI;

        public static Task WriteAsync(HttpContext context) => context.Response.WriteAsync(Where.AmI);
    }

    private sealed class MailHub : Hub
    {
        public string Send() => Where.AmI;
    }

    [Route("/stock")]
    public sealed class StockController : ControllerBase
    {
        [HttpGet]
        [RunOnNativeThreadPool("reports")]
        public string Get() => Reports.Render();
    }
}
