using System.Globalization;
using Microsoft.AspNetCore.Builder;
using NativeThreading.AspNetCore.Tests.Support;
using NativeThreading.Tests.Support;

namespace NativeThreading.AspNetCore.Tests.Requests;

/// <summary>Many requests at once, behind Kestrel, with handlers that block.</summary>
public sealed class LoadTests
{
    private const int Requests = 1_000;

    [Fact]
    public async Task ThousandConcurrentRequests_AllRunOnThePool_AndEachGetsItsAnswer()
    {
        using var started = new CountdownEvent(Requests);
        var all = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        await using TestApp app = await TestApp.StartKestrelAsync(app => app.MapGet("/{id:int}", async (int id) =>
        {
            string first = Where.AmI;
            if (started.Signal())
            {
                all.SetResult(); // they are all here at once
            }

            await all.Task;
            return $"{id} {first} {Where.AmI}";
        }).RunOnNativeThreadPool("reports"));

        string[] answers = await Deadline.For(Task.WhenAll(
            Enumerable.Range(0, Requests).Select(i => app.GetAsync(string.Create(CultureInfo.InvariantCulture, $"/{i}")))));

        Assert.Equal(Enumerable.Range(0, Requests).Select(i => $"{i} reports reports"), answers);
        Deadline.Until(() => app.Reports.PendingWorkItemCount == 0, "nothing is left behind");
    }

    // T111: blocked handlers on all workers, and the continuations that they wait for behind them.
    [Fact]
    public async Task T111_SyncOverAsync_OnAllWorkers_Resolves()
    {
        await using TestApp app = await TestApp.StartKestrelAsync(app => app.MapGet("/", () =>
        {
            return QueryAsync().GetAwaiter().GetResult();

            static async Task<string> QueryAsync()
            {
                await Task.Yield(); // queued behind the other requests
                await Elsewhere.CompleteAsync();
                return Where.AmI;
            }
        }).RunOnNativeThreadPool("reports"));

        string[] answers = await Deadline.For(Task.WhenAll(Enumerable.Range(0, 100).Select(_ => app.GetAsync("/"))));

        Assert.All(answers, answer => Assert.Equal("reports", answer));
    }

    [Fact]
    public async Task FastEndpoint_AnswersWhileEveryWorkerOfTheSlowOneIsBlocked()
    {
        const int Slow = 64;
        using var release = new ManualResetEventSlim();
        using var started = new CountdownEvent(Slow);
        await using TestApp app = await TestApp.StartKestrelAsync(app =>
        {
            app.MapGet("/slow", () =>
            {
                started.Signal();
                release.Wait(Deadline.Time);
                return Where.AmI;
            }).RunOnNativeThreadPool("reports");
            app.MapGet("/fast", () => Where.AmI);
        });

        Task<string[]> slow = Task.WhenAll(Enumerable.Range(0, Slow).Select(_ => app.GetAsync("/slow")));
        Deadline.Wait(started); // blocked workers are replaced until all of them wait
        Assert.Equal(Where.Runtime, await app.GetAsync("/fast"));
        Assert.False(slow.IsCompleted);
        release.Set();

        Assert.All(await Deadline.For(slow), place => Assert.Equal("reports", place));
    }
}
