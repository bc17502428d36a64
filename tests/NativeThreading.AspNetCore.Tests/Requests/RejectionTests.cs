using System.Net;
using System.Text.Json;
using Microsoft.AspNetCore.Builder;
using Microsoft.Extensions.DependencyInjection;
using NativeThreading.AspNetCore.Tests.Support;
using NativeThreading.Tests.Support;

namespace NativeThreading.AspNetCore.Tests.Requests;

/// <summary>Requests that a pool does not take: 503, and when to come again.</summary>
public sealed class RejectionTests
{
    [Fact]
    public async Task PoolThatIsShuttingDown_Answers503()
    {
        int called = 0;
        await using TestApp app = await TestApp.StartAsync(app => app.MapGet("/", () => called++).RunOnNativeThreadPool("reports"));
        await Deadline.For(app.Reports.ShutdownAsync(CancellationToken.None));

        using HttpResponseMessage response = await app.SendAsync("/");

        Assert.Equal((HttpStatusCode.ServiceUnavailable, "1"), (response.StatusCode, response.Headers.RetryAfter?.ToString()));
        Assert.Empty(await response.Content.ReadAsByteArrayAsync());
        Assert.Equal(0, called);
    }

    [Fact]
    public async Task ProblemDetails_AreTheBody_WhereThatServiceExists()
    {
        await using TestApp app = await TestApp.StartAsync(
            app => app.MapGet("/", () => "").RunOnNativeThreadPool("reports"), services => services.AddProblemDetails());
        await Deadline.For(app.Reports.ShutdownAsync(CancellationToken.None));

        using HttpResponseMessage response = await app.SendAsync("/");

        Assert.Equal("application/problem+json", response.Content.Headers.ContentType?.MediaType);
        Assert.Equal(503, JsonDocument.Parse(await response.Content.ReadAsStringAsync()).RootElement.GetProperty("status").GetInt32());
        Assert.NotNull(response.Headers.RetryAfter);
    }

    [Theory]
    [InlineData(0, "0")]
    [InlineData(2_000, "2")]
    [InlineData(2_001, "3")]
    [InlineData(86_400_000, "86400")]
    public async Task RetryAfter_IsInSeconds_RoundedUp(int milliseconds, string header)
    {
        await using TestApp app = await TestApp.StartAsync(
            app => app.MapGet("/", () => "").RunOnNativeThreadPool("reports"),
            services => services.AddNativeThreadPoolEndpoints(options => options.RetryAfter = TimeSpan.FromMilliseconds(milliseconds)));
        await Deadline.For(app.Reports.ShutdownAsync(CancellationToken.None));

        using HttpResponseMessage response = await app.SendAsync("/");

        Assert.Equal(header, response.Headers.RetryAfter?.ToString());
    }

    [Fact]
    public async Task Options_OfOnePool_AreThoseOfItsName()
    {
        await using TestApp app = await TestApp.StartAsync(
            app =>
            {
                app.MapGet("/reports", () => "").RunOnNativeThreadPool("reports");
                app.Map("/other", branch => branch.UseNativeThreadPool("other"));
            },
            services => services
                .Configure<NativeThreadPoolRequestOptions>("reports", options => options.RetryAfter = TimeSpan.FromSeconds(7)));
        await Deadline.For(app.Reports.ShutdownAsync(CancellationToken.None));
        await Deadline.For(app.Other.ShutdownAsync(CancellationToken.None));

        using HttpResponseMessage reports = await app.SendAsync("/reports");
        using HttpResponseMessage other = await app.SendAsync("/other");

        Assert.Equal(("7", "1"), (reports.Headers.RetryAfter?.ToString(), other.Headers.RetryAfter?.ToString()));
    }

    [Theory]
    [InlineData(-1)]
    [InlineData(86_400_001)]
    public void RetryAfter_OutOfRange_IsRefused(int milliseconds)
    {
        var options = new NativeThreadPoolRequestOptions();
        var exception = Assert.Throws<ArgumentOutOfRangeException>(() => options.RetryAfter = TimeSpan.FromMilliseconds(milliseconds));
        Assert.Equal("RetryAfter", exception.ParamName);
        Assert.Contains("0 to 1 day", exception.Message, StringComparison.Ordinal);
    }
}
