using System.Net;
using System.Net.Sockets;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using NativeThreading.AspNetCore.Tests.Transport.Support;
using NativeThreading.Tests.Support;

namespace NativeThreading.AspNetCore.Tests.Transport;

/// <summary>The end of servers and of connections, and what they leave behind.</summary>
public abstract class LifetimeContract(Carrier carrier) : TransportContract(carrier)
{
    [Fact]
    public async Task Stop_WhileResponsesAreHalfWritten_EachArrivesWhole_AndThenAnEnd()
    {
        const int Half = 100_000;
        const int Clients = 32;
        using var started = new CountdownEvent(Clients);
        TaskCompletionSource goOn = NewGate();
        TransportServer server = await ServeAsync(async context =>
        {
            context.Response.ContentLength = 2 * Half;
            await context.Response.Body.WriteAsync(Pattern.Bytes(0, Half));
            started.Signal();
            await Deadline.For(goOn.Task);
            await context.Response.Body.WriteAsync(Pattern.Bytes(Half, Half));
        });
        RawClient[] clients = [.. await Task.WhenAll(Enumerable.Range(0, Clients).Select(_ => server.ConnectAsync()))];
        try
        {
            await Task.WhenAll(clients.Select(client => client.SendAsync(Get)));
            Task<RawResponse>[] responses = [.. clients.Select(client => client.ReadResponseAsync())];
            Deadline.Wait(started);

            Task stop = server.StopAsync();
            goOn.SetResult();

            foreach (RawResponse response in await Task.WhenAll(responses))
            {
                Assert.Equal(2 * Half, response.Body.Length);
                Assert.True(Pattern.IsAt(0, response.Body));
            }

            Assert.All(await Task.WhenAll(clients.Select(client => client.ReadEndAsync())), static end => Assert.Equal(RawClient.End.Orderly, end));
            await stop;
        }
        finally
        {
            Array.ForEach(clients, static client => client.Dispose());
        }
    }

    [Fact]
    public async Task Stop_UnderLoad_LosesNoResponseThatHasBegun()
    {
        int started = 0;
        int answered = 0;
        TransportServer server = await ServeAsync(async context =>
        {
            Interlocked.Increment(ref started);
            await Elsewhere.CompleteAsync();
            await context.Response.Body.WriteAsync(Pattern.Bytes(0, 10_000));
        });
        Task load = Task.WhenAll(Enumerable.Range(0, 16).Select(async _ =>
        {
            using RawClient client = await server.ConnectAsync();
            try
            {
                while (true)
                {
                    await client.SendAsync(Get);
                    if (await client.TryReadResponseAsync() is not { } response)
                    {
                        return;
                    }

                    Assert.True(Pattern.IsAt(0, response.Body));
                    Interlocked.Increment(ref answered);
                }
            }
            catch (SocketException)
            {
                // Its request came too late.
            }
        }));
        Deadline.Until(() => Volatile.Read(ref answered) > 300);

        await server.StopAsync();

        await Deadline.For(load);
        Assert.Equal(started, answered);
    }

    [Fact]
    public async Task ShortConnections_LeaveNoDescriptorNoConnectionAndNoMemoryBehind()
    {
        const int Clients = 8;
        const int MostReferenced = 32; // a thread may still have the last one that it served; of thousands
        const int MostHeld = 1 << 20;  // of caches that have grown; a connection that is kept has some KiB
        int each = Soak.Rounds(5_000) / Clients;
        TransportServer server = await ServeAsync(context => context.Response.WriteAsync("here"));
        await ConnectAsync(500); // what is made once
        long before = Held();

        await Task.WhenAll(Enumerable.Range(0, Clients).Select(_ => ConnectAsync(each)));

        Deadline.Until(() => server.Connections.Open == 0);
        Deadline.Until(() => OwnSockets.Count(server.Port) == 1, () => $"{OwnSockets.Count(server.Port)} sockets in addition to the listening one");
        Deadline.Until(() => Held() - before <= MostHeld, () => $"{Held() - before} bytes more are held than before");

        // The code that served a connection may not have returned yet on its loop or thread.
        Deadline.Until(() => Referenced() <= MostReferenced, () => $"{Referenced()} of {server.Connections.Accepted} connections are referenced");

        async Task ConnectAsync(int count)
        {
            for (int i = 0; i < count; i++)
            {
                using RawClient client = await server.ConnectAsync(from: new IPAddress([127, 0, (byte)(1 + (i % 3)), (byte)(1 + (i % 200))]));
                await client.SendAsync(i % 4 == 0 ? "GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n" : Get);
                Assert.Equal("here", (await client.ReadResponseAsync()).Text);
                switch (i % 4)
                {
                    case 0:
                        await client.ReadEndAsync();
                        break;
                    case 1:
                        client.Reset();
                        break;
                    case 2:
                        client.EndSending();
                        await client.ReadEndAsync();
                        break;
                    default:
                        break; // its disposal is an end of both sides
                }
            }
        }

        int Referenced()
        {
            GC.Collect();
            GC.WaitForPendingFinalizers();
            return server.Connections.CountAlive();
        }

        long Held()
        {
            Referenced();
            return GC.GetTotalMemory(forceFullCollection: true);
        }
    }

    [Fact]
    public async Task MaxConcurrentConnections_FurtherOnesAreEnded_UntilOneLeaves()
    {
        const int Limit = 3;
        TransportServer server = await ServeAsync(new ServerPlan
        {
            App = app => app.Run(context => context.Response.WriteAsync("here")),
            Kestrel = kestrel => kestrel.Limits.MaxConcurrentConnections = Limit,
        });
        var clients = new Queue<RawClient>();
        try
        {
            for (int i = 0; i < Limit; i++)
            {
                clients.Enqueue(await server.ConnectAsync());
                await clients.Last().SendAsync(Get);
                Assert.Equal("here", (await clients.Last().ReadResponseAsync()).Text);
            }

            for (int i = 0; i < 5; i++)
            {
                using RawClient refused = await server.ConnectAsync();
                Assert.Equal(RawClient.End.Orderly, await refused.ReadEndAsync());
            }

            clients.Dequeue().Dispose();
            Deadline.Until(() => server.Connections.Open < Limit);
            bool served = false;
            while (!served)
            {
                using RawClient next = await server.ConnectAsync();
                try
                {
                    await next.SendAsync(Get);
                    served = await next.TryReadResponseAsync() is not null;
                }
                catch (SocketException)
                {
                    // Its place is not free yet.
                }
            }
        }
        finally
        {
            foreach (RawClient client in clients)
            {
                client.Dispose();
            }
        }
    }
}

public sealed class LifetimesOnSockets() : LifetimeContract(Carrier.Sockets);

public sealed class LifetimesOnLoops() : LifetimeContract(Carrier.Loops);

public sealed class LifetimesOnLoopsAndPool() : LifetimeContract(Carrier.LoopsAndPool);

public sealed class LifetimesOnLoopsAlone() : LifetimeContract(Carrier.LoopsAlone);

public sealed class LifetimesOnAdaptive() : LifetimeContract(Carrier.Adaptive);
