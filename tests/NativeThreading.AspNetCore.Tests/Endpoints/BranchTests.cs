using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using NativeThreading.AspNetCore.Tests.Support;
using NativeThreading.Tests.Support;

namespace NativeThreading.AspNetCore.Tests.Endpoints;

/// <summary>UseNativeThreadPool: the rest of a pipeline.</summary>
public sealed class BranchTests
{
    [Fact]
    public async Task Branch_RunsOnItsPool_AndNothingElseDoes()
    {
        var after = new List<string>();
        await using TestApp app = await TestApp.StartAsync(app =>
        {
            app.Use(async (context, next) =>
            {
                await next(context);
                after.Add(Where.AmI);
            });
            app.Map("/branch", branch => branch.UseNativeThreadPool("reports").Run(async context =>
            {
                string first = Where.AmI;
                await Elsewhere.CompleteAsync();
                await context.Response.WriteAsync($"{first} {Where.AmI}");
            }));
            app.MapGet("/fast", () => Where.AmI);
        });

        Assert.Equal("reports reports", await app.GetAsync("/branch"));
        Assert.Equal(Where.Runtime, await app.GetAsync("/fast"));
        Assert.Equal([Where.Runtime, Where.Runtime], after);
    }

    [Fact]
    public async Task WholeApplication_RunsOnThePool_EndpointsIncluded()
    {
        await using TestApp app = await TestApp.StartAsync(app =>
        {
            app.UseNativeThreadPool("reports");
            app.MapGet("/", () => Where.AmI);
        });

        Assert.Equal("reports", await app.GetAsync("/"));
    }

    [Fact]
    public async Task EndpointOfTheSamePool_DoesNotQueueAgain()
    {
        await using TestApp app = await TestApp.StartAsync(app =>
        {
            app.UseNativeThreadPool("reports");
            app.MapGet("/", () => Where.AmI).RunOnNativeThreadPool("reports");
        });

        Assert.Equal("reports", await app.GetAsync("/"));
        Deadline.Until(() => app.Reports.CompletedWorkItemCount != 0, "the request's item has ended"); // a little behind its answer
        Assert.Equal(1, app.Reports.CompletedWorkItemCount);
    }

    [Fact]
    public async Task EndpointOfAnotherPool_ReturnsToTheBranchs()
    {
        var places = new List<string>();
        await using TestApp app = await TestApp.StartAsync(app =>
        {
            app.UseNativeThreadPool("reports");
            app.Use(async (context, next) =>
            {
                places.Add(Where.AmI);
                await next(context);
                places.Add(Where.AmI);
            });
            app.MapGet("/", () => Where.AmI).RunOnNativeThreadPool("other");
        });

        Assert.Equal("other", await app.GetAsync("/"));
        Assert.Equal(["reports", "reports"], places);
    }
}
