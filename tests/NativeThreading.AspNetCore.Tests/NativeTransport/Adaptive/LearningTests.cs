using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using NativeThreading.Kestrel;
using NativeThreading.Kestrel.Adaptive;
using NativeThreading.Tests.Support;

namespace NativeThreading.AspNetCore.Tests.NativeTransport.Adaptive;

/// <summary>Endpoints go to the loops when they are proven, and back.</summary>
[NeedsNativeCore(NeedsNativeCoreAttribute.Descriptors)]
public sealed class LearningTests
{
    private const int CallsUntilFound = 10 * (Learning.AwaitingCallsPerLook + Learning.LongCalls); // one look would do; a busy machine may spoil some

    [Fact]
    public async Task ShortEndpoint_BeginsOnThePool_AndGoesToTheLoop()
    {
        await using AdaptiveServer server = await AdaptiveServer.StartAsync(app => app.MapGet("/", () => Places.Mine));

        Assert.Equal(Places.OwnPool, await server.GetAsync("/"));
        await server.AskUntilAsync("/", Places.Loop);
        Assert.Equal(0, server.Server.Records.Count(TransportRecords.SentBack));
    }

    [Fact]
    public async Task ShortEndpointThatAwaits_GoesToTheLoop_AndComesBackToItBehindItsAwaits()
    {
        await using AdaptiveServer server = await AdaptiveServer.StartAsync(app => app.MapGet("/", async () =>
        {
            await Elsewhere.CompleteAsync();
            return Places.Mine;
        }));

        Assert.Equal(Places.OwnPool, await server.GetAsync("/"));
        await server.AskUntilAsync("/", Places.Loop);
    }

    [Theory]
    [InlineData("/sleeps")]
    [InlineData("/computes")]
    [InlineData("/awaits-and-sleeps")]
    [InlineData("/awaits-and-computes")]
    public async Task SlowEndpoint_StaysOnThePool_WhileOthersGoToTheLoop(string path)
    {
        await using AdaptiveServer server = await AdaptiveServer.StartAsync(app =>
        {
            app.MapGet("/sleeps", () =>
            {
                Thread.Sleep(3);
                return Places.Mine;
            });
            app.MapGet("/computes", () =>
            {
                Places.Compute();
                return Places.Mine;
            });
            app.MapGet("/awaits-and-sleeps", async () =>
            {
                await Elsewhere.CompleteAsync();
                Thread.Sleep(3);
                return Places.Mine;
            });
            app.MapGet("/awaits-and-computes", async () =>
            {
                await Elsewhere.CompleteAsync();
                Places.Compute();
                return Places.Mine;
            });
            app.MapGet("/", () => Places.Mine);
        });
        await server.AskUntilAsync("/", Places.Loop);

        for (int i = 0; i < 80; i++)
        {
            Assert.Equal(Places.OwnPool, await server.GetAsync(path));
        }

        await server.AskUntilAsync("/", Places.Loop); // mostly at once; a busy machine may have sent it back for a while
    }

    [Fact]
    public async Task EndpointThatBeginsToBlock_HoldsUpNobody_AndGoesBackToThePoolAtOnce()
    {
        using var gate = new ManualResetEventSlim();
        using var started = new ManualResetEventSlim();
        bool blocks = false;
        await using AdaptiveServer server = await AdaptiveServer.StartAsync(app =>
        {
            app.MapGet("/changes", () =>
            {
                string place = Places.Mine;
                if (Volatile.Read(ref blocks))
                {
                    started.Set();
                    Deadline.Wait(gate);
                }

                return place;
            });
            app.MapGet("/", () => Places.Mine);
        });
        using RawClient blocked = await server.Server.ConnectAsync();
        await server.AskUntilAsync("/changes", Places.Loop);
        await server.AskUntilAsync("/", Places.Loop);

        Volatile.Write(ref blocks, true);
        Task<string> answer = blocked.GetAsync("/changes", AdaptiveServer.LastChunk);
        Deadline.Wait(started);
        await server.GetAsync("/"); // over the same loop
        Volatile.Write(ref blocks, false);
        gate.Set();

        Assert.Equal(Places.Loop, AdaptiveServer.Text(await answer));
        server.Server.Records.WaitFor(TransportRecords.SentBack); // it is found when the handler returns, behind its answer
        Assert.Equal(Places.OwnPool, await server.GetAsync("/changes"));
        Assert.Equal(Places.Loop, await server.GetAsync("/")); // what is around endpoints is not blamed
        Assert.Equal(1, server.Server.Records.Count(TransportRecords.SentBack));
    }

    /// <summary>It computes until another request over the same loop was answered.</summary>
    [Theory]
    [InlineData(NativeTransportRequests.Adaptive)]
    [InlineData(NativeTransportRequests.Loops)]
    public async Task EndpointThatComputesForLong_HoldsUpNobody_AndGoesBackToThePoolAtOnce(NativeTransportRequests requests)
    {
        bool computes = true, isAnswered = true;
        using var started = new ManualResetEventSlim();
        await using AdaptiveServer server = await AdaptiveServer.StartAsync(
            app =>
            {
                app.MapGet("/changes", () =>
                {
                    string place = Places.Mine;
                    if (Volatile.Read(ref computes))
                    {
                        started.Set();
                        Places.ComputeUntil(() => Volatile.Read(ref isAnswered));
                    }

                    return place;
                });
                app.MapGet("/", () => Places.Mine);
                app.MapGet("/later", () => Places.Mine);
            },
            requests: requests);
        using RawClient computing = await server.Server.ConnectAsync();
        await server.GetAsync("/changes"); // compiles the handler: a thread that compiles may block, and lose its loop for that
        Volatile.Write(ref computes, false);
        Volatile.Write(ref isAnswered, false);
        started.Reset();
        await server.AskUntilAsync("/changes", Places.Loop);
        await server.AskUntilAsync("/", Places.Loop);

        Volatile.Write(ref computes, true);
        Task<string> answer = computing.GetAsync("/changes", AdaptiveServer.LastChunk);
        Deadline.Wait(started);
        Assert.Equal(Places.Loop, await server.GetAsync("/")); // over the same loop
        Volatile.Write(ref computes, false);
        Volatile.Write(ref isAnswered, true);

        Assert.Equal(Places.Loop, AdaptiveServer.Text(await answer));
        if (requests == NativeTransportRequests.Adaptive)
        {
            server.Server.Records.WaitFor(TransportRecords.SentBack);
            Assert.Contains("computes", Assert.Single(server.Server.Records.Texts(TransportRecords.SentBack)), StringComparison.Ordinal);
            Assert.Equal(Places.OwnPool, await server.GetAsync("/changes"));
            for (int i = 0; i < Learning.ProofAfterReturn; i++)
            {
                Assert.Equal(Places.OwnPool, await server.GetAsync("/later")); // thirty short calls are no proof any more, for no endpoint
            }

            await server.AskUntilAsync("/later", Places.Loop);
        }

        Assert.Equal(Places.Loop, await server.GetAsync("/"));
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task EndpointThatBeginsToCompute_GoesBackToThePool(bool awaits)
    {
        bool computes = false;
        await using AdaptiveServer server = await AdaptiveServer.StartAsync(app =>
        {
            app.MapGet("/changes", async () =>
            {
                if (awaits)
                {
                    await Elsewhere.CompleteAsync();
                }

                if (Volatile.Read(ref computes))
                {
                    Places.Compute();
                }

                return Places.Mine;
            });
            app.MapGet("/", () => Places.Mine);
        });
        await server.AskUntilAsync("/changes", Places.Loop);

        Volatile.Write(ref computes, true);
        await server.AskUntilSentBackAsync("/changes", CallsUntilFound);

        Assert.Equal(Places.OwnPool, await server.GetAsync("/changes"));
        Volatile.Write(ref computes, false);
        await server.AskUntilAsync("/", Places.Loop);
    }

    [Fact]
    public async Task EndpointThatWasSentBack_ReturnsToTheLoop_WhenItWasShortForLong_AndIsToldOfOnce()
    {
        bool blocks = false;
        await using AdaptiveServer server = await AdaptiveServer.StartAsync(app => app.MapGet("/", () =>
        {
            if (Volatile.Read(ref blocks) && EventLoop.Current is { } loop)
            {
                using (NativeThreadPool.EnterBlockingRegion())
                {
                    Deadline.Until(() => !loop.IsInLoop);
                }
            }

            return Places.Mine;
        }));
        for (int round = 0; round < 2; round++)
        {
            await server.AskUntilAsync("/", Places.Loop);
            Volatile.Write(ref blocks, true);
            await server.GetAsync("/");
            Volatile.Write(ref blocks, false);
            await server.AskUntilAsync("/", Places.OwnPool);
        }

        Assert.Equal(1, server.Server.Records.Count(TransportRecords.SentBack));
    }

    [Fact]
    public async Task CodeOutsideOfEndpoints_IsLearnedAsOne()
    {
        bool blocks = false;
        await using AdaptiveServer server = await AdaptiveServer.StartAsync(app => app.Run(context =>
        {
            string place = Places.Mine;
            if (Volatile.Read(ref blocks))
            {
                Deadline.Until(() => EventLoop.Current is null, "another thread takes the loop over");
            }

            return context.Response.WriteAsync(place);
        }));
        Assert.Equal(Places.OwnPool, await server.GetAsync("/"));
        await server.AskUntilAsync("/", Places.Loop);

        Volatile.Write(ref blocks, true);
        Assert.Equal(Places.Loop, await server.GetAsync("/one"));
        Volatile.Write(ref blocks, false);
        server.Server.Records.WaitFor(TransportRecords.SentBack);

        Assert.Equal(Places.OwnPool, await server.GetAsync("/another"));
    }
}
