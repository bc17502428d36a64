using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using NativeThreading.AspNetCore.Tests.Support;
using NativeThreading.Diagnostics;
using NativeThreading.Tests.Support;

namespace NativeThreading.AspNetCore.Tests.Requests;

/// <summary>Who observes a pool sees the handler of each request, not our own code.</summary>
public sealed class ObservationTests
{
    private static readonly ManualResetEventSlim s_release = new();

    [Fact]
    public async Task WorkerThatRunsARequest_NamesItsHandler()
    {
        s_release.Reset();
        await using TestApp app = await TestApp.StartAsync(static app => app.MapGet("/report", Render).RunOnNativeThreadPool("reports"));
        using var observer = new ThreadObserver();
        Task<string> report = app.GetAsync("/report");
        RunningItem? item = null;
        Deadline.Until(() => (item = observer.TakeSnapshot().Pools.Single(static pool => pool.Name == "reports").Workers.Select(static worker => worker.Item).OfType<RunningItem>().FirstOrDefault()) is { Method: nameof(Render) });
        s_release.Set();
        Assert.Equal("rendered", await report);
        Assert.Equal((typeof(ObservationTests).FullName, "GET /report"), (item!.Type, item.Name));
    }

    /// <summary>The path of a request may contain data of users, the pattern of a route and the path of a branch do not.</summary>
    [Theory]
    [InlineData("/orders/4711", "GET /orders/{id}")]
    [InlineData("/archive/4711", "/archive")]
    public async Task Request_IsNamedByItsRouteOrItsBranch(string path, string name)
    {
        s_release.Reset();
        await using TestApp app = await TestApp.StartAsync(static app =>
        {
            app.MapGet("orders/{id}", static (int id) => $"{id} {Render()}").RunOnNativeThreadPool("reports");
            app.Map("/archive", static branch => branch.UseNativeThreadPool("reports").Run(static context => context.Response.WriteAsync(Render())));
        });
        using var observer = new ThreadObserver();
        Task<string> answer = app.GetAsync(path);
        Deadline.Until(() => observer.TakeSnapshot().Pools.Single(static pool => pool.Name == "reports").Workers.Any(worker => worker.Item?.Name == name));
        s_release.Set();
        await answer;
    }

    private static string Render()
    {
        s_release.Wait(Deadline.Time);
        return "rendered";
    }
}
