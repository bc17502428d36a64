using System.Collections.Concurrent;
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
    public async Task FullQueue_Answers503AtOnce_AndTheHandlerIsNotCalled()
    {
        int called = 0;
        await using TestApp app = await TestApp.StartKestrelAsync(
            app => app.MapGet("/", () => Interlocked.Increment(ref called)).RunOnNativeThreadPool("reports"), reports: OneThread(queueLimit: 2));

        Task<string>[] accepted;
        using (new BlockedWorkers(app.Reports, app.Reports.MaxThreads))
        {
            accepted = [app.GetAsync("/"), app.GetAsync("/")];
            Deadline.Until(() => app.Reports.PendingWorkItemCount == 2);

            using HttpResponseMessage response = await app.SendAsync("/"); // while every worker is blocked

            Assert.Equal((HttpStatusCode.ServiceUnavailable, "1"), (response.StatusCode, response.Headers.RetryAfter?.ToString()));
            Assert.Empty(await response.Content.ReadAsByteArrayAsync());
        }

        await Deadline.For(Task.WhenAll(accepted));
        Assert.Equal(2, called);
        Assert.Equal("3", await app.GetAsync("/")); // and the endpoint is as before
    }

    [Fact]
    public async Task FullQueue_OfABranch_Answers503()
    {
        await using TestApp app = await TestApp.StartAsync(
            app => app.Map("/branch", branch => branch.UseNativeThreadPool("reports").Run(_ => Task.CompletedTask)), reports: OneThread(queueLimit: 1));
        using (new BlockedWorkers(app.Reports, app.Reports.MaxThreads))
        {
            Task<HttpResponseMessage> accepted = app.SendAsync("/branch");
            Deadline.Until(() => app.Reports.PendingWorkItemCount == 1);

            using HttpResponseMessage response = await app.SendAsync("/branch");

            Assert.Equal(HttpStatusCode.ServiceUnavailable, response.StatusCode);
            Assert.False(accepted.IsCompleted);
        }
    }

    [Fact]
    public async Task T110_Overload_EveryRequestRunsOnThePoolOrIsRefused()
    {
        const int Requests = 500;
        var places = new ConcurrentBag<string>();
        await using TestApp app = await TestApp.StartKestrelAsync(
            app => app.MapGet("/", async () =>
            {
                places.Add(Where.AmI);
                await Elsewhere.CompleteAsync(); // a continuation needs no permit
                places.Add(Where.AmI);
            }).RunOnNativeThreadPool("reports"),
            reports: OneThread(queueLimit: 3));

        HttpResponseMessage[] responses = await Deadline.For(Task.WhenAll(Enumerable.Range(0, Requests).Select(_ => app.SendAsync("/"))));

        int served = responses.Count(response => response.StatusCode == HttpStatusCode.OK);
        Assert.Equal(Requests, served + responses.Count(response => response.StatusCode == HttpStatusCode.ServiceUnavailable));
        Assert.NotEqual(0, served);
        Assert.Equal(Enumerable.Repeat("reports", 2 * served), places);
    }

    [Fact]
    public async Task AbortedRequest_FreesItsPlaceAtOnce()
    {
        await using TestApp app = await TestApp.StartKestrelAsync(
            app => app.MapGet("/", () => Where.AmI).RunOnNativeThreadPool("reports"), reports: OneThread(queueLimit: 1));

        using (new BlockedWorkers(app.Reports, app.Reports.MaxThreads))
        {
            using var gone = new CancellationTokenSource();
            Task<HttpResponseMessage> request = app.Client.GetAsync(new Uri("/", UriKind.Relative), gone.Token);
            Deadline.Until(() => app.Reports.PendingWorkItemCount == 1);
            using HttpResponseMessage refused = await app.SendAsync("/");
            Assert.Equal(HttpStatusCode.ServiceUnavailable, refused.StatusCode);

            await gone.CancelAsync();
            await Assert.ThrowsAnyAsync<OperationCanceledException>(() => Deadline.For(request));

            // While every worker is blocked. The item that then takes the place is not rejected.
            Deadline.Until(() => app.Reports.TryQueueUserWorkItem(static _ => { }, null));
        }
    }

    [Fact]
    public async Task WaitMode_RequestsWaitInLine_AndAnAbortedOneLeavesIt()
    {
        const int Requests = 20;
        int called = 0;
        await using TestApp app = await TestApp.StartKestrelAsync(
            app => app.MapGet("/", async () =>
            {
                Interlocked.Increment(ref called);
                await Elsewhere.CompleteAsync();
                return Where.AmI;
            }).RunOnNativeThreadPool("reports"),
            reports: options =>
            {
                OneThread(queueLimit: 1)(options);
                options.QueueFullMode = QueueFullMode.Wait;
            });

        Task<string>[] requests;
        using (new BlockedWorkers(app.Reports, app.Reports.MaxThreads))
        {
            requests = [app.GetAsync("/")];
            Deadline.Until(() => app.Reports.PendingWorkItemCount == 1);
            using var gone = new CancellationTokenSource();
            Task<HttpResponseMessage> leaving = app.Client.GetAsync(new Uri("/", UriKind.Relative), gone.Token);
            requests = [.. requests, .. Enumerable.Range(0, Requests).Select(_ => app.GetAsync("/"))];
            await gone.CancelAsync();
            await Assert.ThrowsAnyAsync<OperationCanceledException>(() => Deadline.For(leaving));
            Assert.DoesNotContain(requests, request => request.IsCompleted);
        }

        Assert.All(await Deadline.For(Task.WhenAll(requests)), place => Assert.Equal("reports", place));
        Assert.InRange(called, Requests + 1, Requests + 2); // the aborted one may have been served before the server noticed
    }

    [Fact]
    public async Task QueueFullExceptionOfTheHandlers_IsTheHandlers()
    {
        var thrown = new QueueFullException("some other pool");
        Exception? seen = null;
        await using TestApp app = await TestApp.StartAsync(app =>
        {
            app.Use(async (context, next) => seen = await Record.ExceptionAsync(() => next(context)));
            app.MapGet("/", Throwing).RunOnNativeThreadPool("reports");
        });

        using HttpResponseMessage response = await app.SendAsync("/");

        Assert.Same(thrown, seen);
        Assert.Null(response.Headers.RetryAfter);

        string Throwing() => throw thrown;
    }

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

    /// <summary>The client is still there: 499 would be wrong.</summary>
    [Theory]
    [InlineData(null)]
    [InlineData(10)]
    public async Task RequestInTheQueue_OfAPoolThatATokenStops_Answers503(int? queueLimit)
    {
        int called = 0;
        await using TestApp app = await TestApp.StartKestrelAsync(
            app => app.MapGet("/", () => called++).RunOnNativeThreadPool("reports"),
            reports: options => (options.MaxThreads, options.MaxBlockedThreads, options.QueueLimit) = (1, 0, queueLimit));
        using (new BlockedWorkers(app.Reports, 1))
        {
            Task<HttpResponseMessage> waiting = app.SendAsync("/");
            Deadline.Until(() => app.Reports.PendingWorkItemCount == 1);
            Assert.Equal(1, await Deadline.For(app.Reports.ShutdownAsync(new CancellationToken(canceled: true))));

            using HttpResponseMessage response = await Deadline.For(waiting);

            Assert.Equal((HttpStatusCode.ServiceUnavailable, "1"), (response.StatusCode, response.Headers.RetryAfter?.ToString()));
        }

        Assert.Equal((0, 0L), (called, app.Reports.RanElsewhereCount));
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
        Assert.Contains("between 0 and 1 day, but was ", exception.Message, StringComparison.Ordinal);
    }

    private static Action<NativeThreadPoolOptions> OneThread(int queueLimit) => options =>
    {
        options.MaxThreads = 1;
        options.MaxBlockedThreads = 0;
        options.QueueLimit = queueLimit;
    };
}
