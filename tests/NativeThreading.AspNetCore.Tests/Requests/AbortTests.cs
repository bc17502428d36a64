using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using NativeThreading.AspNetCore.Tests.Support;
using NativeThreading.Tests.Support;

namespace NativeThreading.AspNetCore.Tests.Requests;

/// <summary>Requests whose client goes away, behind Kestrel.</summary>
public sealed class AbortTests
{
    [Fact]
    public async Task AbortedWhileItWaits_LeavesTheQueue_AndItsHandlerIsNotCalled()
    {
        int called = 0;
        var left = new TaskCompletionSource<int>(TaskCreationOptions.RunContinuationsAsynchronously);
        await using TestApp app = await TestApp.StartKestrelAsync(
            app =>
            {
                app.Use(async (context, next) =>
                {
                    await next(context);
                    left.TrySetResult(context.Response.StatusCode);
                });
                app.MapGet("/", () => Interlocked.Increment(ref called)).RunOnNativeThreadPool("reports");
            },
            reports: options => (options.MaxThreads, options.MaxBlockedThreads) = (1, 0));

        using (new BlockedWorkers(app.Reports, app.Reports.MaxThreads))
        {
            using var gone = new CancellationTokenSource();
            Task<HttpResponseMessage> request = app.Client.GetAsync(new Uri("/", UriKind.Relative), gone.Token);
            Deadline.Until(() => app.Reports.PendingWorkItemCount == 1);

            await gone.CancelAsync();

            // While the pool is still occupied: it does not take a worker to notice.
            Assert.Equal(StatusCodes.Status499ClientClosedRequest, await Deadline.For(left.Task));
            await Assert.ThrowsAnyAsync<OperationCanceledException>(() => Deadline.For(request));
        }

        Assert.Equal("1", await app.GetAsync("/")); // the next one is the first that runs
    }

    [Fact]
    public async Task AbortedWhileItRuns_TheHandlerIsTold_AndDecides()
    {
        var started = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        var outcome = new TaskCompletionSource<string>(TaskCreationOptions.RunContinuationsAsynchronously);
        await using TestApp app = await TestApp.StartKestrelAsync(app => app.MapGet("/", async (HttpContext context) =>
        {
            started.SetResult();
            Exception? seen = await Record.ExceptionAsync(() => Task.Delay(Timeout.Infinite, context.RequestAborted));
            outcome.SetResult($"{Where.AmI} {seen?.GetType().Name}");
        }).RunOnNativeThreadPool("reports"));

        using var gone = new CancellationTokenSource();
        Task<HttpResponseMessage> request = app.Client.GetAsync(new Uri("/", UriKind.Relative), gone.Token);
        await Deadline.For(started.Task);
        await gone.CancelAsync();

        Assert.Equal("reports TaskCanceledException", await Deadline.For(outcome.Task));
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => Deadline.For(request));
    }

    [Fact]
    public async Task ManyAborted_AllLeaveAtOnce_AndThePoolServesTheRest()
    {
        const int Requests = 100;
        int called = 0;
        using var left = new CountdownEvent(Requests);
        await using TestApp app = await TestApp.StartKestrelAsync(
            app =>
            {
                app.Use(async (context, next) =>
                {
                    await next(context);
                    if (context.Response.StatusCode == StatusCodes.Status499ClientClosedRequest)
                    {
                        left.Signal();
                    }
                });
                app.MapGet("/", () => Interlocked.Increment(ref called)).RunOnNativeThreadPool("reports");
            },
            reports: options => (options.MaxThreads, options.MaxBlockedThreads) = (1, 0));

        Task<string>[] stay;
        using (new BlockedWorkers(app.Reports, app.Reports.MaxThreads))
        {
            using var gone = new CancellationTokenSource();
            Task<HttpResponseMessage>[] leave =
                [.. Enumerable.Range(0, Requests).Select(_ => app.Client.GetAsync(new Uri("/", UriKind.Relative), gone.Token))];
            stay = [.. Enumerable.Range(0, Requests).Select(_ => app.GetAsync("/"))];
            Deadline.Until(() => app.Reports.PendingWorkItemCount == 2 * Requests);

            await gone.CancelAsync();

            Deadline.Wait(left);
            foreach (Task<HttpResponseMessage> request in leave)
            {
                await Assert.ThrowsAnyAsync<OperationCanceledException>(() => Deadline.For(request));
            }
        }

        await Deadline.For(Task.WhenAll(stay));
        Assert.Equal(Requests, called);
    }
}
