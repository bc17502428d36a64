using Microsoft.AspNetCore.Builder;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using NativeThreading.AspNetCore.Tests.Support;
using NativeThreading.Tests.Support;

namespace NativeThreading.AspNetCore.Tests.Requests;

/// <summary>The end of the application: requests in flight finish on their pool (T113).</summary>
public sealed class LifetimeTests
{
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task T113_RequestsInFlight_FinishOnThePool(bool concurrently)
    {
        const int Requests = 10;
        using var started = new CountdownEvent(Requests);
        var release = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        TestApp app = await TestApp.StartKestrelAsync(
            app => app.MapGet("/", async () =>
            {
                started.Signal();
                await release.Task;
                await Task.Yield();
                return Where.AmI;
            }).RunOnNativeThreadPool("reports"),
            services => services.Configure<HostOptions>(host => host.ServicesStopConcurrently = concurrently));
        Task<string>[] requests = [.. Enumerable.Range(0, Requests).Select(_ => app.GetAsync("/"))];
        Deadline.Wait(started);

        Task stop = app.Services.GetRequiredService<IHost>().StopAsync();
        release.SetResult();

        Assert.All(await Deadline.For(Task.WhenAll(requests)), place => Assert.Equal("reports", place));
        await Deadline.For(stop);
        await app.DisposeAsync();
    }
}
