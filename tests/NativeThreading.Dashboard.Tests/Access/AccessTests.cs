using System.Net;
using Microsoft.AspNetCore.Authorization;
using Microsoft.AspNetCore.Builder;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;
using NativeThreading.Dashboard.Tests.Support;

namespace NativeThreading.Dashboard.Tests.Access;

/// <summary>Only viewers whom the application allows see the page.</summary>
public sealed class AccessTests
{
    private const string Json = "/threads/api/v1/";

    public static TheoryData<string, string> Endpoints => new()
    {
        { "GET", "/threads" }, { "GET", $"{Json}snapshot" }, { "GET", $"{Json}stream" }, { "POST", $"{Json}stacks" }, { "POST", $"{Json}reset" },
    };

    [Theory]
    [MemberData(nameof(Endpoints))]
    public async Task WithoutAPolicy_IsInDevelopmentOnly(string method, string path)
    {
        foreach (string environment in (string[])[Environments.Development, Environments.Production, Environments.Staging, "development-2"])
        {
            await using TestApp app = await TestApp.StartAsync(environment, Map);
            using HttpResponseMessage response = await app.SendAsync(new HttpMethod(method), path, ("X-NativeThreading", "1"));
            Assert.Equal(environment == Environments.Development, response.IsSuccessStatusCode);
            Assert.True(environment == Environments.Development || response.StatusCode == HttpStatusCode.NotFound);
        }

        static void Map(WebApplication app) => app.MapNativeThreading(configure: static options => options.AllowActions = true);
    }

    [Theory]
    [MemberData(nameof(Endpoints))]
    public async Task WithAPolicy_IsForWhomItAllows(string method, string path)
    {
        foreach (string environment in (string[])[Environments.Development, Environments.Production])
        {
            await using TestApp app = await TestApp.StartAsync(
                environment, static app => app.MapNativeThreading(configure: static options => options.AllowActions = true).RequireAuthorization("Ops"));
            Assert.Equal(HttpStatusCode.Unauthorized, await AskAsync());
            Assert.Equal(HttpStatusCode.Forbidden, await AskAsync(("Role", "visitor")));
            Assert.True(await AskAsync(("Role", "ops")) is HttpStatusCode.OK or HttpStatusCode.NoContent, path);
            Assert.Empty(app.Logged);

            async Task<HttpStatusCode> AskAsync(params (string, string)[] role)
            {
                using HttpResponseMessage response = await app.SendAsync(new HttpMethod(method), path, [("X-NativeThreading", "1"), .. role]);
                return response.StatusCode;
            }
        }
    }

    [Theory]
    [MemberData(nameof(Endpoints))]
    public async Task EveryMethod_IsAnsweredAlike_WhereThePageIsNotServed(string method, string path)
    {
        _ = method;
        await using TestApp hidden = await TestApp.StartAsync(Environments.Production, static app => app.MapNativeThreading());
        await using TestApp guarded = await TestApp.StartAsync(Environments.Production, static app => app.MapNativeThreading().RequireAuthorization("Ops"));
        foreach (string other in (string[])["GET", "HEAD", "OPTIONS", "POST", "PUT", "DELETE", "PATCH", "TRACE", "ODD"])
        {
            using HttpResponseMessage absent = await hidden.SendAsync(new HttpMethod(other), path);
            Assert.Equal((other, HttpStatusCode.NotFound, ""), (other, absent.StatusCode, string.Join(',', absent.Content.Headers.Allow)));
            using HttpResponseMessage refused = await guarded.SendAsync(new HttpMethod(other), path);
            Assert.Equal((other, HttpStatusCode.Unauthorized), (other, refused.StatusCode));
        }
    }

    [Theory]
    [MemberData(nameof(Endpoints))]
    public async Task OtherMethods_AreAnsweredWith405_WhereThePageIsServed(string method, string path)
    {
        await using TestApp app = await TestApp.StartAsync(static options => options.AllowActions = true);
        foreach (string other in (string[])["HEAD", "OPTIONS", "PUT"])
        {
            using HttpResponseMessage response = await app.SendAsync(new HttpMethod(other), path);
            Assert.Equal(HttpStatusCode.MethodNotAllowed, response.StatusCode);
            Assert.Equal(method, Assert.Single(response.Content.Headers.Allow));
            Assert.True(response.Headers.CacheControl!.NoStore);
        }
    }

    [Fact]
    public async Task PolicyThatNothingCanCheck_FailsTheStart()
    {
        foreach (string environment in (string[])[Environments.Development, Environments.Production])
        {
            InvalidOperationException exception = await Assert.ThrowsAsync<InvalidOperationException>(() => TestApp.StartAsync(
                environment, static app => app.MapNativeThreading("/insight").WithMetadata(OnlyOps()), hasAuthorization: false));
            Assert.Contains("'/insight'", exception.Message, StringComparison.Ordinal);
            Assert.Contains("AddAuthorization", exception.Message, StringComparison.Ordinal);
        }
    }

    [Fact]
    public async Task PolicyThatNothingCanCheck_OfAGroup_IsLogged_AndNothingIsServed()
    {
        await using TestApp app = await TestApp.StartAsync(
            Environments.Production, static app => app.MapGroup("/admin").WithMetadata(OnlyOps()).MapNativeThreading(), hasAuthorization: false);
        (int, LogLevel, string Text) logged = Assert.Single(app.Logged);
        Assert.Equal((4, LogLevel.Error), (logged.Item1, logged.Item2));
        using HttpResponseMessage response = await app.GetAsync("/admin/threads");
        Assert.Equal(HttpStatusCode.NotFound, response.StatusCode);
    }

    [Fact]
    public async Task PolicyObject_IsChecked()
    {
        await using TestApp app = await TestApp.StartAsync(Environments.Production, static app => app.MapNativeThreading().WithMetadata(OnlyOps()));
        using HttpResponseMessage refused = await app.GetAsync("/threads");
        Assert.Equal(HttpStatusCode.Unauthorized, refused.StatusCode);
        using HttpResponseMessage allowed = await app.GetAsync("/threads", ("Role", "ops"));
        Assert.Equal(HttpStatusCode.OK, allowed.StatusCode);
        Assert.Empty(app.Logged);
    }

    [Fact]
    public async Task AnonymousPage_NeedsNoAuthorizationServices()
    {
        await using TestApp app = await TestApp.StartAsync(
            Environments.Production, static app => app.MapNativeThreading().WithMetadata(OnlyOps()).AllowAnonymous(), hasAuthorization: false);
        using HttpResponseMessage response = await app.GetAsync("/threads");
        Assert.Equal(HttpStatusCode.OK, response.StatusCode);
    }

    [Fact]
    public async Task PolicyOfAGroupAround_Counts()
    {
        await using TestApp app = await TestApp.StartAsync(
            Environments.Production, static app => app.MapGroup("/admin").RequireAuthorization("Ops").MapNativeThreading());
        using HttpResponseMessage refused = await app.GetAsync("/admin/threads");
        Assert.Equal(HttpStatusCode.Unauthorized, refused.StatusCode);
        using HttpResponseMessage allowed = await app.GetAsync("/admin/threads", ("Role", "ops"));
        Assert.Equal(HttpStatusCode.OK, allowed.StatusCode);
        Assert.Empty(app.Logged);
    }

    [Fact]
    public async Task AllowAnonymous_IsADecisionToo()
    {
        await using TestApp app = await TestApp.StartAsync(Environments.Production, static app => app.MapNativeThreading().AllowAnonymous());
        using HttpResponseMessage response = await app.GetAsync("/threads");
        Assert.Equal(HttpStatusCode.OK, response.StatusCode);
        Assert.Empty(app.Logged);
    }

    [Theory]
    [InlineData("Development", 1, LogLevel.Information)]
    [InlineData("Production", 2, LogLevel.Warning)]
    public async Task WithoutAPolicy_TheLogSaysSoAtTheStart_Once(string environment, int id, LogLevel level)
    {
        await using TestApp app = await TestApp.StartAsync(environment, static app => app.MapNativeThreading("/insight"));
        (int, LogLevel, string Text) logged = Assert.Single(app.Logged);
        Assert.Equal((id, level), (logged.Item1, logged.Item2));
        Assert.Contains("/insight", logged.Text, StringComparison.Ordinal);
        using HttpResponseMessage first = await app.GetAsync("/insight"), second = await app.GetAsync("/insight");
        Assert.Single(app.Logged);
    }

    [Fact]
    public async Task NothingIsMapped_ByItself()
    {
        await using TestApp app = await TestApp.StartAsync(Environments.Development, static _ => { });
        using HttpResponseMessage response = await app.GetAsync("/threads");
        Assert.Equal(HttpStatusCode.NotFound, response.StatusCode);
    }

    [Fact]
    public async Task BadArguments_AreRefused()
    {
        await using TestApp app = await TestApp.StartAsync(Environments.Development, static app =>
        {
            Assert.Throws<ArgumentNullException>("endpoints", () => NativeThreadingDashboardEndpointRouteBuilderExtensions.MapNativeThreading(null!));
            Assert.Throws<ArgumentNullException>("pattern", () => app.MapNativeThreading(null!));
            foreach (int value in (int[])[int.MinValue, -1, 0, 10_001])
            {
                ArgumentOutOfRangeException exception = Assert.Throws<ArgumentOutOfRangeException>(
                    "MaxViewers", () => app.MapNativeThreading(configure: options => options.MaxViewers = value));
                Assert.StartsWith($"MaxViewers must be between 1 and 10000, but was {value}.", exception.Message, StringComparison.Ordinal);
            }
        });
    }

    private static AuthorizationPolicy OnlyOps() => new AuthorizationPolicyBuilder().RequireRole("ops").Build();
}
