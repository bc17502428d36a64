using System.Diagnostics;
using System.Globalization;
using System.Security.Claims;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.DependencyInjection;
using NativeThreading.AspNetCore.Tests.Support;
using NativeThreading.Tests.Support;

namespace NativeThreading.AspNetCore.Tests.Requests;

/// <summary>What a handler finds around it is what the middleware left, also after an await.</summary>
public sealed class ContextTests
{
    private static readonly AsyncLocal<string?> s_ambient = new();

    [Fact]
    public async Task HttpContext_ComesFromTheAccessor()
    {
        await using TestApp app = await TestApp.StartAsync(
            app => app.MapGet("/{id}", async (HttpContext context, IHttpContextAccessor accessor) =>
            {
                bool first = accessor.HttpContext == context;
                await Elsewhere.CompleteAsync();
                return $"{Where.AmI} {first} {accessor.HttpContext == context}";
            }).RunOnNativeThreadPool("reports"),
            services => services.AddHttpContextAccessor());

        Assert.Equal("reports True True", await app.GetAsync("/1"));
    }

    [Fact]
    public async Task CurrentActivity_IsTheRequests()
    {
        using var listener = new ActivityListener
        {
            ShouldListenTo = source => source.Name == "Microsoft.AspNetCore",
            Sample = (ref ActivityCreationOptions<ActivityContext> _) => ActivitySamplingResult.AllData,
        };
        ActivitySource.AddActivityListener(listener);
        var outside = new List<string?>();
        await using TestApp app = await TestApp.StartAsync(app =>
        {
            app.Use(async (context, next) =>
            {
                outside.Add(Activity.Current?.Id);
                await next(context);
                outside.Add(Activity.Current?.Id);
            });
            app.MapGet("/", async () =>
            {
                string? first = Activity.Current?.Id;
                using Activity own = new Activity("own").Start();
                await Elsewhere.CompleteAsync();
                return $"{first} {own.ParentId == first} {Activity.Current == own}";
            }).RunOnNativeThreadPool("reports");
        });

        string answer = await app.GetAsync("/");

        Assert.NotNull(outside[0]);
        Assert.Equal($"{outside[0]} True True", answer);
        Assert.Equal(outside[0], outside[1]);
    }

    [Fact]
    public async Task Culture_IsTheOneThatMiddlewareSet_AndLeavesNothingBehind()
    {
        await using TestApp app = await TestApp.StartAsync(
            app =>
            {
                app.Use((context, next) =>
                {
                    if (context.Request.Query.ContainsKey("culture"))
                    {
                        CultureInfo.CurrentCulture = CultureInfo.CurrentUICulture = new CultureInfo("") { NumberFormat = { NumberDecimalSeparator = "#" } };
                    }

                    return next(context);
                });
                app.MapGet("/", async () =>
                {
                    string first = $"{1.5}";
                    await Elsewhere.CompleteAsync();
                    return $"{Where.AmI} {first} {1.5}";
                }).RunOnNativeThreadPool("reports");
            },
            reports: options => options.MaxThreads = 1);

        Assert.Equal("reports 1#5 1#5", await app.GetAsync("/?culture"));
        Assert.Equal("reports 1.5 1.5", await app.GetAsync("/"));
    }

    [Fact]
    public async Task User_IsTheRequests()
    {
        await using TestApp app = await TestApp.StartAsync(app =>
        {
            app.Use((context, next) =>
            {
                context.User = new ClaimsPrincipal(new ClaimsIdentity([new Claim(ClaimTypes.Name, "Ada")], "test"));
                Thread.CurrentPrincipal = context.User;
                return next(context);
            });
            app.MapGet("/", async (ClaimsPrincipal user) =>
            {
                await Task.Yield();
                return $"{Where.AmI} {user.Identity!.Name} {Thread.CurrentPrincipal!.Identity!.Name}";
            }).RunOnNativeThreadPool("reports");
        });

        Assert.Equal("reports Ada Ada", await app.GetAsync("/"));
    }

    [Fact]
    public async Task AsyncLocals_FlowIn_AndNotToTheNextRequest()
    {
        string? afterwards = "";
        await using TestApp app = await TestApp.StartAsync(
            app =>
            {
                app.Use(async (context, next) =>
                {
                    s_ambient.Value = context.Request.Query["set"].ToString() is { Length: > 0 } value ? value : null;
                    await next(context);
                    afterwards = s_ambient.Value;
                });
                app.MapGet("/", async () =>
                {
                    string? before = s_ambient.Value;
                    s_ambient.Value = "handler";
                    await Elsewhere.CompleteAsync();
                    return $"{before} {s_ambient.Value}";
                }).RunOnNativeThreadPool("reports");
            },
            reports: options => options.MaxThreads = 1);

        Assert.Equal("outer handler", await app.GetAsync("/?set=outer"));
        Assert.Equal("outer", afterwards);
        Assert.Equal(" handler", await app.GetAsync("/"));
    }

    [Fact]
    public async Task ScopedServices_AreOneScopePerRequest()
    {
        await using TestApp app = await TestApp.StartAsync(
            app =>
            {
                app.Use((context, next) =>
                {
                    context.Items["scoped"] = context.RequestServices.GetRequiredService<Scoped>();
                    return next(context);
                });
                app.MapGet("/", async (HttpContext context, Scoped scoped) =>
                {
                    await Task.Yield();
                    return $"{Where.AmI} {context.Items["scoped"] == scoped}";
                }).RunOnNativeThreadPool("reports");
            },
            services => services.AddScoped<Scoped>());

        Assert.Equal("reports True", await app.GetAsync("/"));
    }

    private sealed class Scoped;
}
