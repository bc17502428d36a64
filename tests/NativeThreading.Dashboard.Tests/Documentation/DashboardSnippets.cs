using System.Net;
using Microsoft.AspNetCore.Builder;
using Microsoft.Extensions.Hosting;
using NativeThreading.Dashboard.Tests.Support;
using NativeThreading.Diagnostics;
using NativeThreading.Tests.Support;

namespace NativeThreading.Dashboard.Tests.Documentation;

/// <summary>The code of docs/guides/observe.md and of the package's README, run.</summary>
public sealed class DashboardSnippets
{
    [Fact]
    public async Task MappedInDevelopment()
    {
        await using TestApp application = await TestApp.StartAsync(Environments.Development, app =>
        {
            app.MapNativeThreading();
        });
        using HttpResponseMessage page = await application.GetAsync("/threads");
        Assert.Equal(HttpStatusCode.OK, page.StatusCode);
    }

    [Fact]
    public async Task MappedWithAPolicy()
    {
        await using TestApp application = await TestApp.StartAsync(Environments.Production, app =>
        {
            app.MapNativeThreading("/threads").RequireAuthorization("Ops");
        });
        using HttpResponseMessage page = await application.GetAsync("/threads", ("Role", "ops"));
        Assert.Equal(HttpStatusCode.OK, page.StatusCode);
    }

    [Fact]
    public async Task MappedWithActions()
    {
        await using TestApp application = await TestApp.StartAsync(Environments.Production, app =>
        {
            app.MapNativeThreading("/threads", options => options.AllowActions = true).RequireAuthorization("Ops");
        });
        using HttpResponseMessage reset = await application.SendAsync(HttpMethod.Post, "/threads/api/v1/reset", ("Role", "ops"), ("X-NativeThreading", "1"));
        Assert.Equal(HttpStatusCode.NoContent, reset.StatusCode);
    }

    [Fact]
    public void ObservedWithoutAPage()
    {
        using var ours = new NativeThreadPool(new NativeThreadPoolOptions { Name = "observed" });
        BlockedWorkers? blocked = null;
        void Work() => blocked = new BlockedWorkers(ours, 1);
        var written = new StringWriter();
        TextWriter before = Console.Out;
        Console.SetOut(written);
        try
        {
            using var observer = new ThreadObserver();     // from now on items are recorded
            Work();
            foreach (PoolSnapshot pool in observer.TakeSnapshot().Pools)
            {
                foreach (WorkerSnapshot worker in pool.Workers.Where(worker => worker.Item is not null))
                {
                    Console.WriteLine($"{worker.Name} {worker.State}: {worker.Item!.Type}.{worker.Item.Method} for {worker.Item.Duration}");
                }
            }
        }
        finally
        {
            Console.SetOut(before);
            blocked?.Dispose();
        }

        string text = written.ToString();
        Assert.Matches("^observed-worker-0 (Running|Blocked): ", text); // it may still be on its way to its wait
        Assert.Contains($": {typeof(Occupation).FullName}..ctor for ", text, StringComparison.Ordinal);
    }
}
