using System.Diagnostics.CodeAnalysis;
using System.Text.Json;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.SignalR;
using Microsoft.Extensions.DependencyInjection;
using NativeThreading.AspNetCore.Tests.Support;
using NativeThreading.Diagnostics;
using NativeThreading.Tests.Support;

namespace NativeThreading.AspNetCore.Tests.Hubs;

/// <summary>Methods of a hub block all threads of its pool, up to the limit, until other work of the same pool has run. Each call is answered.</summary>
[SuppressMessage("Usage", "VSTHRD002", Justification = "The tests are about methods that block.")]
public sealed class HubRescueTests
{
    private const int MaxThreads = 1, MaxBlocked = 2, Calls = 6;

    private readonly Events _events = new();

    [Fact]
    public async Task CallsThatBlockOnTheirOwnContinuation_AreAllAnswered()
    {
        await using TestApp app = await StartAsync();
        await using HubClient client = await HubClient.ConnectAsync(app.Address, "/hub");
        List<string> calls = await BeginAsync(client, nameof(BlockingHub.AwaitContinuation));
        Deadline.Until(() => app.Reports.BlockedThreadCount >= MaxBlocked);
        _events.Release.SetResult();

        await AssertAnsweredAsync(client, calls);
    }

    [Fact]
    public async Task ACall_IsNamedByItsHubAndItsMethod()
    {
        using var observer = new ThreadObserver();
        await using TestApp app = await StartAsync();
        await using HubClient client = await HubClient.ConnectAsync(app.Address, "/hub");
        List<string> calls = [await client.BeginAsync(nameof(BlockingHub.AwaitContinuation))];
        Deadline.Until(() => observer.TakeSnapshot().Pools.Single(static pool => pool.Name == "reports").Workers
            .Any(static worker => worker.Item is { Name: "BlockingHub.AwaitContinuation", Method: nameof(BlockingHub.AwaitContinuation) }));
        _events.Release.SetResult();

        await AssertAnsweredAsync(client, calls);
    }

    [Fact]
    public async Task CallsThatBlockOnAStream_AreAllAnswered()
    {
        await using TestApp app = await StartAsync();
        await using HubClient client = await HubClient.ConnectAsync(app.Address, "/hub");
        await using HubClient reader = await HubClient.ConnectAsync(app.Address, "/hub");
        Task<List<string>> items = reader.StreamAsync(nameof(BlockingHub.Items));
        await Deadline.For(_events.StreamStarted.Task);
        List<string> calls = await BeginAsync(client, nameof(BlockingHub.AwaitStream));
        Deadline.Until(() => app.Reports.BlockedThreadCount >= MaxBlocked);
        _events.Release.SetResult(); // SignalR asks for the second item now

        await AssertAnsweredAsync(client, calls);
        Assert.Equal(["1", "2"], await Deadline.For(items));
    }

    private static async Task<List<string>> BeginAsync(HubClient client, string method)
    {
        var calls = new List<string>();
        for (int i = 0; i < Calls; i++)
        {
            calls.Add(await client.BeginAsync(method));
        }

        return calls;
    }

    private static async Task AssertAnsweredAsync(HubClient client, List<string> calls)
    {
        foreach (string _ in calls.ToArray())
        {
            JsonElement answer = await client.NextAsync();
            Assert.Equal("done", HubClient.Outcome(answer));
            Assert.True(calls.Remove(answer.GetProperty("invocationId").GetString()!));
        }
    }

    private Task<TestApp> StartAsync() => TestApp.StartKestrelAsync(
        static app => app.MapHub<BlockingHub>("/hub").RunOnNativeThreadPool("reports"),
        services =>
        {
            services.AddSingleton(_events);
            services.AddSignalR(static options => options.MaximumParallelInvocationsPerClient = Calls);
        },
        static options => (options.MaxThreads, options.MaxBlockedThreads) = (MaxThreads, MaxBlocked));

    /// <summary>What the test and the hub wait for.</summary>
    public sealed class Events
    {
        public TaskCompletionSource Release { get; } = new(TaskCreationOptions.RunContinuationsAsynchronously);

        public TaskCompletionSource StreamStarted { get; } = new(TaskCreationOptions.RunContinuationsAsynchronously);

        public TaskCompletionSource SecondItem { get; } = new(TaskCreationOptions.RunContinuationsAsynchronously);
    }

    /// <summary>A hub whose methods block their thread.</summary>
    public sealed class BlockingHub(Events events) : Hub
    {
        public string AwaitContinuation()
        {
            return ContinueAsync().Result;

            async Task<string> ContinueAsync()
            {
                await events.Release.Task;
                return "done";
            }
        }

        public string AwaitStream()
        {
            Deadline.Wait(events.SecondItem.Task);
            return "done";
        }

        public async IAsyncEnumerable<int> Items()
        {
            events.StreamStarted.SetResult();
            await events.Release.Task.ConfigureAwait(false);
            yield return 1;
            events.SecondItem.SetResult();
            yield return 2;
        }
    }
}
