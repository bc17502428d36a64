using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Routing;
using NativeThreading.AspNetCore.Tests.Support;
using NativeThreading.Tests.Support;

namespace NativeThreading.AspNetCore.Tests.Endpoints;

/// <summary>Which endpoints run on a pool, and which part of a request does.</summary>
public sealed class EndpointTests
{
    [Fact]
    public async Task Handler_AndItsLaterAwaits_RunOnThePool()
    {
        await using TestApp app = await TestApp.StartAsync(app => app.MapGet("/report", async (HttpContext context) =>
        {
            var places = new List<string> { Where.AmI };
            await Task.Yield();
            places.Add(Where.AmI);
            await Elsewhere.CompleteAsync();
            places.Add(Where.AmI);
            await NestedAsync();
            places.Add(Where.AmI);
            return string.Join(' ', places);
        }).RunOnNativeThreadPool("reports"));

        Assert.Equal("reports reports reports reports", await app.GetAsync("/report"));
    }

    [Fact]
    public async Task OtherEndpoints_AndMiddleware_DoNot()
    {
        var before = new List<string>();
        var after = new List<string>();
        await using TestApp app = await TestApp.StartAsync(app =>
        {
            app.Use(async (context, next) =>
            {
                before.Add(Where.AmI);
                await next(context);
                after.Add(Where.AmI);
            });
            app.MapGet("/report", () => Where.AmI).RunOnNativeThreadPool("reports");
            app.MapGet("/fast", () => Where.AmI);
        });

        Assert.Equal("reports", await app.GetAsync("/report"));
        Assert.Equal(Where.Runtime, await app.GetAsync("/fast"));
        Assert.Equal([Where.Runtime, Where.Runtime], before);
        Assert.Equal([Where.Runtime, Where.Runtime], after);
    }

    [Fact]
    public async Task FiltersAndResults_RunOnThePool()
    {
        var places = new List<string>();
        await using TestApp app = await TestApp.StartAsync(app => app.MapGet("/report", () => new PlacedResult(places))
            .AddEndpointFilter(async (context, next) =>
            {
                places.Add(Where.AmI);
                object? result = await next(context);
                places.Add(Where.AmI);
                return result;
            })
            .RunOnNativeThreadPool("reports"));

        await app.GetAsync("/report");

        Assert.Equal(["reports", "reports", "reports"], places);
    }

    [Fact]
    public async Task Group_RunsOnItsPool_AndAnEndpointsOwnPoolGoesBefore()
    {
        await using TestApp app = await TestApp.StartAsync(app =>
        {
            RouteGroupBuilder outer = app.MapGroup("/outer").RunOnNativeThreadPool("reports");
            outer.MapGet("/here", () => Where.AmI);
            outer.MapGet("/own", () => Where.AmI).RunOnNativeThreadPool("other");
            outer.MapGroup("/inner").RunOnNativeThreadPool("other").MapGet("/here", () => Where.AmI);
        });

        Assert.Equal("reports", await app.GetAsync("/outer/here"));
        Assert.Equal("other", await app.GetAsync("/outer/own"));
        Assert.Equal("other", await app.GetAsync("/outer/inner/here"));
        Deadline.Until(() => app.Reports.CompletedWorkItemCount != 0, "the item of the first request has ended"); // a little behind its answer
        Assert.Equal(1, app.Reports.CompletedWorkItemCount); // and the other pool's requests did not pass through it
    }

    [Fact]
    public async Task RequestDelegate_AndConventionsThatReplaceIt_AreWrapped()
    {
        await using TestApp app = await TestApp.StartAsync(app =>
        {
            IEndpointConventionBuilder endpoint = app.Map("/raw", context => context.Response.WriteAsync(Where.AmI))
                .RunOnNativeThreadPool("reports");
            endpoint.Add(builder =>
            {
                RequestDelegate next = builder.RequestDelegate!;
                builder.RequestDelegate = async context =>
                {
                    await context.Response.WriteAsync(Where.AmI + " ");
                    await next(context);
                };
            });
        });

        Assert.Equal("reports reports", await app.GetAsync("/raw"));
    }

    [Fact]
    public async Task AttributeOfARouteHandler_RunsItOnThePool_AndAnExplicitNameGoesBefore()
    {
        await using TestApp app = await TestApp.StartAsync(app =>
        {
            app.MapGet("/attribute", [RunOnNativeThreadPool("reports")] () => Where.AmI);
            app.MapGet("/both", [RunOnNativeThreadPool("reports")] () => Where.AmI).RunOnNativeThreadPool("other");
        });

        Assert.Equal("reports", await app.GetAsync("/attribute"));
        Assert.Equal("reports", await app.GetAsync("/attribute"));
        Assert.Equal("other", await app.GetAsync("/both"));
    }

    [Fact]
    public async Task EndpointInfo_StaysAsItWas()
    {
        await using TestApp app = await TestApp.StartAsync(app =>
        {
            app.MapGet("/a/{id}", (HttpContext context, int id) => Describe(context, id)).WithName("a").RunOnNativeThreadPool("reports");
            app.MapGet("/b/{id}", [RunOnNativeThreadPool("reports")] (HttpContext context, int id) => Describe(context, id)).WithName("b");
        });

        Assert.Equal("7 a /a/{id}", await app.GetAsync("/a/7"));
        Assert.Equal("8 b /b/{id}", await app.GetAsync("/b/8"));

        static string Describe(HttpContext context, int id) =>
            $"{id} {context.GetEndpoint()!.Metadata.GetMetadata<IEndpointNameMetadata>()!.EndpointName} {((RouteEndpoint)context.GetEndpoint()!).RoutePattern.RawText}";
    }

    [Theory]
    [InlineData(null)]
    [InlineData("")]
    [InlineData(" ")]
    public async Task NameThatIsNone_IsRefusedAtOnce(string? name)
    {
        await using TestApp app = await TestApp.StartAsync(app =>
        {
            Assert.ThrowsAny<ArgumentException>(() => app.MapGet("/", () => "").RunOnNativeThreadPool(name!));
            Assert.ThrowsAny<ArgumentException>(() => app.UseNativeThreadPool(name!));
            Assert.ThrowsAny<ArgumentException>(() => new RunOnNativeThreadPoolAttribute(name!));
        });
    }

    private static async Task NestedAsync() => await Elsewhere.CompleteAsync();

    private sealed class PlacedResult(List<string> places) : IResult
    {
        public Task ExecuteAsync(HttpContext httpContext)
        {
            places.Add(Where.AmI);
            return Task.CompletedTask;
        }
    }
}
