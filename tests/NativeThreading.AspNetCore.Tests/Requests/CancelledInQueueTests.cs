using System.Net;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Server.Kestrel.Core;
using Microsoft.Extensions.DependencyInjection;
using NativeThreading.AspNetCore.Tests.Support;
using NativeThreading.Tests.Support;

namespace NativeThreading.AspNetCore.Tests.Requests;

/// <summary>Middleware cancels a request that waits in the queue of its pool, while the client is still there: the middleware answers.</summary>
public sealed class CancelledInQueueTests
{
    private static readonly TimeSpan s_limit = TimeSpan.FromMilliseconds(100);

    [Theory]
    [InlineData(null)]
    [InlineData(HttpProtocols.Http1)]
    [InlineData(HttpProtocols.Http2)]
    public async Task TimeLimitOfTheRequestTimeoutsMiddleware_IsAnsweredByIt(HttpProtocols? protocols)
    {
        int called = 0;
        await using TestApp app = await StartAsync(protocols, app =>
        {
            app.UseRequestTimeouts();
            app.MapGet("/", () => Interlocked.Increment(ref called)).RunOnNativeThreadPool("reports").WithRequestTimeout(s_limit);
        });
        using (new BlockedWorkers(app.Reports, app.Reports.MaxThreads))
        {
            using HttpResponseMessage response = await app.SendAsync("/");
            Assert.Equal(HttpStatusCode.GatewayTimeout, response.StatusCode);
        }

        Assert.Equal(0, called);
    }

    [Theory]
    [InlineData(null)]
    [InlineData(HttpProtocols.Http1)]
    public async Task TokenOfOtherMiddleware_IsAnsweredByIt_AlsoInABranch(HttpProtocols? protocols)
    {
        await using TestApp app = await StartAsync(protocols, app =>
        {
            app.Use(async (context, next) =>
            {
                using var limit = new CancellationTokenSource(s_limit);
                context.RequestAborted = limit.Token;
                try
                {
                    await next(context);
                }
                catch (OperationCanceledException exception) when (exception.CancellationToken == limit.Token)
                {
                    context.Response.StatusCode = StatusCodes.Status418ImATeapot;
                }
            });
            app.UseNativeThreadPool("reports");
            app.MapGet("/", static () => "never");
        });
        using (new BlockedWorkers(app.Reports, app.Reports.MaxThreads))
        {
            using HttpResponseMessage response = await app.SendAsync("/");
            Assert.Equal((HttpStatusCode)StatusCodes.Status418ImATeapot, response.StatusCode);
        }
    }

    private static Task<TestApp> StartAsync(HttpProtocols? protocols, Action<WebApplication> configure)
    {
        return protocols is { } known
            ? TestApp.StartKestrelAsync(configure, AddServices, Limit, known)
            : TestApp.StartAsync(configure, AddServices, Limit);

        static void AddServices(IServiceCollection services) => services.AddRequestTimeouts();

        static void Limit(NativeThreadPoolOptions options) => (options.MaxThreads, options.MaxBlockedThreads) = (1, 0);
    }
}
