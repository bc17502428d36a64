using System.Diagnostics;
using System.Globalization;
using System.Net.Sockets;
using System.Text;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using NativeThreading.AspNetCore.Tests.Transport.Support;
using NativeThreading.Tests.Support;

namespace NativeThreading.AspNetCore.Tests.Transport;

/// <summary>A server whose process has no descriptor left for a while.</summary>
internal static class ScarcityChild
{
    public const string CarrierVariable = "NTH_TEST_CARRIER";

    private const string Get = "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n";

    private static readonly TimeSpan s_while = TimeSpan.FromMilliseconds(400);

    /// <summary>Prints the share of a processor that it used meanwhile, and how many warnings there were.</summary>
    public static int Run()
    {
        Deadline.Wait(RunAsync(Enum.Parse<Carrier>(Environment.GetEnvironmentVariable(CarrierVariable)!)));
        return 0;
    }

    private static async Task RunAsync(Carrier carrier)
    {
        await using TransportServer server = await TransportServer.StartAsync(
            carrier, new ServerPlan { App = app => app.Run(context => context.Response.WriteAsync("here")) });
        using RawClient early = await server.ConnectAsync();
        RawClient[] late = [.. Enumerable.Range(0, 8).Select(_ => new RawClient(RawClient.Create(server.EndPoint)))];
        for (int i = 0; i < 20; i++)
        {
            await AskAsync(early); // what has to be loaded is
        }

        _ = Thrown().ToString(); // loads what reads a stack: who logs an exception would need a file for that
        double usage;
        using (ResourceLimit.NoMoreFiles())
        {
            foreach (RawClient client in late)
            {
                // The system completes it. Neither call waits, nor needs a descriptor for a wait.
                client.Socket.Connect(server.EndPoint);
                client.Socket.Send(Encoding.ASCII.GetBytes(Get));
            }

            await AskAsync(early);
            usage = await UsageAsync();
            await AskAsync(early);
        }

        foreach (RawClient client in late)
        {
            if ((await client.ReadResponseAsync()).Text != "here")
            {
                throw new InvalidOperationException("another answer");
            }

            client.Dispose();
        }

        await Console.Out.WriteAsync(string.Create(CultureInfo.InvariantCulture, $"{usage} {server.Warnings.Length}"));
    }

    private static InvalidOperationException Thrown()
    {
        try
        {
            throw new InvalidOperationException("to be read");
        }
        catch (InvalidOperationException exception)
        {
            return exception;
        }
    }

    private static async Task AskAsync(RawClient client)
    {
        await client.SendAsync(Get);
        await client.ReadResponseAsync();
    }

    // Nobody has anything to do in this time, so what is used is wasted.
    private static async Task<double> UsageAsync()
    {
        TimeSpan before = Environment.CpuUsage.TotalTime;
        long began = Stopwatch.GetTimestamp();
        await Task.Delay(s_while);
        return (Environment.CpuUsage.TotalTime - before) / Stopwatch.GetElapsedTime(began);
    }
}
