using System.Diagnostics;
using System.Globalization;
using System.Net.Sockets;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using NativeThreading.AspNetCore.Tests.Transport.Support;
using NativeThreading.Tests.Support;

namespace NativeThreading.AspNetCore.Tests.Transport;

/// <summary>A server whose process may open no more descriptors: in a process of its own, with its clients, whose sockets exist before.</summary>
[BesideOthers]
public sealed class DescriptorsUsedUpTests
{
    private const int Clients = 20;

    /// <summary>A loop asks again every 50 ms; one that asked at once would take a processor.</summary>
    private const double MostOfAProcessor = 0.25;

    [Theory]
    [InlineData(Carrier.Sockets)]
    [InlineData(Carrier.Loops)]
    [InlineData(Carrier.LoopsAndPool)]
    [InlineData(Carrier.LoopsAlone)]
    public async Task ConnectionsWaitUntilThereAreSome_AndAllAreAnswered(Carrier carrier)
    {
        // The runtime needs descriptors too, for each thread that it starts: no compiler and no collector may want one in the middle.
        ChildProcess.Result child = await ChildProcess.RunAsync(
            UseUp, (nameof(Carrier), $"{carrier}"), ("DOTNET_TieredCompilation", "0"), ("DOTNET_gcConcurrent", "0"));

        Assert.True(child.ExitCode == 0, child.ToString());
        TestContext.Current.TestOutputHelper?.WriteLine(child.Output);
    }

    private static int UseUp()
    {
        Deadline.Wait(UseUpAsync(Enum.Parse<Carrier>(Environment.GetEnvironmentVariable(nameof(Carrier))!)));
        return 0;
    }

    private static async Task UseUpAsync(Carrier carrier)
    {
        bool isOnLoops = carrier != Carrier.Sockets && NeedsNativeCoreAttribute.IsMet(NeedsNativeCoreAttribute.Descriptors);
        StartThreads();
        await using TransportServer server = await TransportServer.StartAsync(
            carrier, new ServerPlan { App = static app => app.Run(static context => context.Response.WriteAsync("here")) });
        await AnswerAsync(await AskAsync(server)); // what is needed below is loaded and compiled
        Describe(new IOException("with its stack"));

        for (int round = 1; round <= 2; round++)
        {
            RawClient[] clients = Create(server);
            double used;
            Task<RawResponse>[] answers;
            using (ResourceLimit.NoFreeFiles())
            {
                answers = await AskAsync(server, clients);
                if (isOnLoops)
                {
                    Deadline.Until(() => Warnings() == round);
                }

                used = await UsedInASecondAsync();
                Assert.All(answers, static answer => Assert.False(answer.IsCompleted));
            }

            Console.WriteLine(string.Create(CultureInfo.InvariantCulture, $"{carrier} used {used:0.000} of a processor"));
            await AnswerAsync((clients, answers));
            if (isOnLoops)
            {
                Assert.InRange(used, 0, MostOfAProcessor);
                Assert.Equal(round, Warnings()); // once, and again only because connections were accepted in between
            }
        }

        int Warnings() => server.Warnings.Count(static warning => warning.Contains("Cannot accept connections", StringComparison.Ordinal));
    }

    /// <summary>The built-in pool has all the threads that it may have, so it starts none later.</summary>
    private static void StartThreads()
    {
        const int Threads = 8;
        Assert.True(ThreadPool.SetMinThreads(Threads, Threads) && ThreadPool.SetMaxThreads(Threads, Threads));
        var all = new CountdownEvent(Threads); // not disposed of here: threads that come late still wait for it
        for (int i = 0; i < Threads; i++)
        {
            ThreadPool.UnsafeQueueUserWorkItem(
                static all =>
                {
                    all.Signal();
                    Deadline.Wait(all);
                },
                all,
                preferLocal: false);
        }

        Deadline.Wait(all);
    }

    private static void Describe(Exception exception)
    {
        try
        {
            throw exception;
        }
        catch (Exception thrown)
        {
            Assert.NotEmpty(thrown.ToString());
        }
    }

    private static RawClient[] Create(TransportServer server) =>
        [.. Enumerable.Range(0, Clients).Select(_ => new RawClient(RawClient.Create(server.EndPoint)))];

    private static async Task<(RawClient[] Clients, Task<RawResponse>[] Answers)> AskAsync(TransportServer server)
    {
        RawClient[] clients = Create(server);
        return (clients, await AskAsync(server, clients));
    }

    private static async Task<Task<RawResponse>[]> AskAsync(TransportServer server, RawClient[] clients)
    {
        await Task.WhenAll(clients.Select(client => client.Socket.ConnectAsync(server.EndPoint)));
        await Task.WhenAll(clients.Select(static client => client.SendAsync("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")));
        return [.. clients.Select(static client => client.ReadResponseAsync())];
    }

    private static async Task AnswerAsync((RawClient[] Clients, Task<RawResponse>[] Answers) asked)
    {
        Assert.All(await Task.WhenAll(asked.Answers), static answer => Assert.Equal("here", answer.Text));
        Array.ForEach(asked.Clients, static client => client.Dispose());
    }

    /// <summary>No event says that no thread spins. This is the processor time that the process uses while it waits.</summary>
    private static async Task<double> UsedInASecondAsync()
    {
        TimeSpan before = Environment.CpuUsage.TotalTime;
        long began = Stopwatch.GetTimestamp();
        await Task.Delay(TimeSpan.FromSeconds(1));
        return (Environment.CpuUsage.TotalTime - before) / Stopwatch.GetElapsedTime(began);
    }
}
