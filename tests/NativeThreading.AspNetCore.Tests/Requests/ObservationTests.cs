using Microsoft.AspNetCore.Builder;
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
        Assert.Equal(typeof(ObservationTests).FullName, item!.Type);
    }

    private static string Render()
    {
        s_release.Wait(Deadline.Time);
        return "rendered";
    }
}
