using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using NativeThreading.Kestrel;
using NativeThreading.Kestrel.Adaptive;
using NativeThreading.Tests.Support;

namespace NativeThreading.AspNetCore.Tests.NativeTransport.Adaptive;

/// <summary>Endpoints whose awaits complete alone on the built-in pool, as those of a database, continue there and start there.</summary>
[NeedsNativeCore(NeedsNativeCoreAttribute.Descriptors)]
public sealed class InPlaceTests
{
    private const int CallsUntilFound = 20 * (Learning.AwaitingCallsPerLook + Learning.LongCalls); // one look would do; a busy machine may spoil some

    [Fact]
    public async Task HandlerGoesOn_WhereItsAwaitsComplete_WhenTheyCompleteAlone()
    {
        await using AdaptiveServer server = await AdaptiveServer.StartAsync(app => app.MapGet("/", async () =>
        {
            await Elsewhere.CompleteAsync();
            return Places.Mine;
        }));

        await server.AskUntilAsync("/", Places.Loop);
        await server.AskUntilAsync("/", Places.Runtime);
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task NextRequest_BeginsWhereTheLastOnesHaveEnded_UntilOneCompletesAtOnce(bool comesBack)
    {
        await using AdaptiveServer server = await AdaptiveServer.StartAsync(app =>
        {
            app.MapGet("/asks", async () =>
            {
                string started = Places.Mine;
                await Alone.CompleteAsync().ConfigureAwait(comesBack);
                return started;
            });
            app.MapGet("/", () => Places.Mine);
        });
        await server.AskUntilAsync("/", Places.Loop);
        await server.AskUntilAsync("/asks", Places.Loop);

        await server.AskUntilAsync("/asks", Places.Runtime);
        await server.GetAsync("/"); // where this one begins is a matter of how the last one has ended
        Assert.Equal(Places.Loop, await server.GetAsync("/"));
    }

    [Fact]
    public async Task MiddlewareAroundSuchHandlers_GoesOnThere_AndItsEndpointsAreKnown()
    {
        string behind = "<nowhere>";
        await using AdaptiveServer server = await AdaptiveServer.StartAsync(app =>
        {
            app.Use(async (context, next) =>
            {
                await next(context);
                Volatile.Write(ref behind, Places.Mine);
            });
            app.MapGet("/asks", async () =>
            {
                string last = Volatile.Read(ref behind);
                await Alone.CompleteAsync();
                return last;
            });
            app.MapGet("/sleeps", () =>
            {
                Thread.Sleep(3);
                return Places.Mine;
            });
        });

        await server.AskUntilAsync("/asks", Places.Runtime);
        for (int i = 0; i < 3 * Learning.ProofOfEnds; i++)
        {
            await server.GetAsync("/asks");
            Assert.Equal(Places.OwnPool, await server.GetAsync("/sleeps"));
        }
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task HandlerThatBeginsToHoldUpTheRuntimesPool_IsFound_AndGoesToThePool(bool sleeps)
    {
        bool begins = false;
        await using AdaptiveServer server = await AdaptiveServer.StartAsync(app => app.MapGet("/", async () =>
        {
            await Elsewhere.CompleteAsync();
            if (Volatile.Read(ref begins))
            {
                if (sleeps)
                {
                    Thread.Sleep(3);
                }
                else
                {
                    Places.Compute();
                }
            }

            return Places.Mine;
        }));
        await server.AskUntilAsync("/", Places.Runtime);

        Volatile.Write(ref begins, true);
        await server.AskUntilAsync("/", Places.OwnPool, CallsUntilFound);
        server.Server.Records.WaitFor(TransportRecords.SentBack);
    }

    /// <summary>They would go the long way with each request.</summary>
    [Fact]
    public async Task InlineEndpoint_BeginsOnItsLoop_AlsoWhereItsConnectionsRequestsEndElsewhere()
    {
        await using AdaptiveServer server = await AdaptiveServer.StartAsync(app =>
        {
            app.MapGet("/asks", async () =>
            {
                string started = Places.Mine;
                await Alone.CompleteAsync();
                return started;
            });
            app.MapGet("/inline", () => Places.Mine).WithMetadata(new InlineAttribute());
        });

        await server.AskUntilAsync("/asks", Places.Runtime);
        for (int i = 0; i < 3 * Learning.ProofOfEnds; i++)
        {
            await server.GetAsync("/asks");
            Assert.Equal(Places.Loop, await server.GetAsync("/inline"));
        }
    }

    /// <summary>Who releases a semaphore holds its lock meanwhile.</summary>
    [Fact]
    public async Task NoHandlerGoesOn_InsideTheCallThatCompletesItsAwait_WhereThatAsksForIt()
    {
        var inside = new ThreadLocal<bool>();
        int found = 0;
        await using AdaptiveServer server = await AdaptiveServer.StartAsync(app => app.MapGet("/", async () =>
        {
            var source = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
            ThreadPool.UnsafeQueueUserWorkItem(
                source =>
                {
                    inside.Value = true;
                    source.SetResult();
                    inside.Value = false;
                },
                source,
                preferLocal: false);
            await source.Task;
            found += inside.Value ? 1 : 0;
            return Places.Mine;
        }));

        await server.AskUntilAsync("/", Places.Runtime);
        for (int i = 0; i < 10 * Learning.AwaitingCallsPerLook; i++)
        {
            await server.GetAsync("/");
        }

        Assert.Equal(0, found);
    }

    [Fact]
    public async Task AsyncLocals_AreThoseOfTheRequest()
    {
        var local = new AsyncLocal<string>();
        await using AdaptiveServer server = await AdaptiveServer.StartAsync(app => app.MapGet("/{value}", async (string value) =>
        {
            string before = local.Value ?? "";
            local.Value = value;
            await Alone.CompleteAsync();
            return $"{before}{local.Value}>{Places.Mine}".Replace("><", "@", StringComparison.Ordinal).Insert(0, "<");
        }));
        for (int i = 0; i < 5_000; i++)
        {
            string answer = await server.GetAsync($"/{i}");
            Assert.StartsWith($"<{i}@", answer, StringComparison.Ordinal);
            if (answer == $"<{i}@{Places.Runtime[1..]}" && i > 500)
            {
                return;
            }
        }

        Assert.Fail("It has never gone on in place.");
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task ErrorsOfSuchHandlers_EndTheirRequests_AndNoOther(bool comesBack)
    {
        bool fails = false;
        await using AdaptiveServer server = await AdaptiveServer.StartAsync(app => app.MapGet("/", async () =>
        {
            await Alone.CompleteAsync().ConfigureAwait(comesBack);
            return Volatile.Read(ref fails) ? throw new InvalidDataException("expected") : Places.Mine;
        }));
        await server.AskUntilAsync("/", Places.Runtime);
        for (int i = 0; i < Learning.ProofOfEnds; i++)
        {
            await server.GetAsync("/");
        }

        for (int i = 0; i < 3 * Learning.AwaitingCallsPerLook; i++)
        {
            Volatile.Write(ref fails, true);
            Assert.StartsWith("HTTP/1.1 500", await server.Client.GetAsync("/", "\r\n\r\n"), StringComparison.Ordinal);
            Volatile.Write(ref fails, false);
            await server.GetAsync("/");
        }
    }
}
