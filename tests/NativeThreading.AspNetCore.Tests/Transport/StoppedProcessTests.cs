using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using NativeThreading.AspNetCore.Tests.Transport.Support;
using NativeThreading.Tests.Support;

namespace NativeThreading.AspNetCore.Tests.Transport;

/// <summary>SIGSTOP and SIGCONT for a server under load: as a debugger, a paused virtual machine or a full host would.</summary>
[BesideOthers]
public sealed class StoppedProcessTests
{
    private const int Clients = 16, Stops = 5, Length = 3_000;

    [Theory]
    [InlineData(Carrier.Sockets)]
    [InlineData(Carrier.Loops)]
    [InlineData(Carrier.LoopsAndPool)]
    [InlineData(Carrier.LoopsAlone)]
    public async Task EveryRequestIsAnswered_ThoseThatCameMeanwhileToo(Carrier carrier)
    {
        await using ServerProcess server = await ServerProcess.StartAsync(Serve, carrier);
        int answered = 0;
        bool isOver = false;
        Task[] load = [.. Enumerable.Range(0, Clients).Select(number => Task.Run(async () =>
        {
            using RawClient client = await RawClient.ConnectAsync(server.EndPoint);
            for (int i = number; !Volatile.Read(ref isOver); i++)
            {
                await AskAsync(client, i);
                Interlocked.Increment(ref answered);
            }
        }))];
        for (int stop = 0; stop < Stops; stop++)
        {
            int before = Volatile.Read(ref answered);
            Deadline.Until(() => Volatile.Read(ref answered) > before + (10 * Clients));
            server.Stop();
            RawClient[] late = [.. await Task.WhenAll(Enumerable.Range(0, Clients).Select(_ => RawClient.ConnectAsync(server.EndPoint)))];
            Task[] waiting = [.. late.Select(AskAsync)];
            await Task.Delay(TimeSpan.FromMilliseconds(100)); // far longer than what proves that a thread is blocked
            Assert.All(waiting, static answer => Assert.False(answer.IsCompleted));
            server.Continue();
            await Deadline.For(Task.WhenAll(waiting));
            Array.ForEach(late, static client => client.Dispose());
        }

        Volatile.Write(ref isOver, true);
        await Deadline.For(Task.WhenAll(load));
        await server.EndAsync();
    }

    private static int Serve() => ServerProcess.Serve(new ServerPlan
    {
        App = static app => app.Run(static async context =>
        {
            int number = int.Parse(context.Request.Path.Value.AsSpan(1), System.Globalization.CultureInfo.InvariantCulture);
            switch (number % 16)
            {
                case 3:
                    await Task.Delay(1);
                    break;
                case 7:
                    Thread.Sleep(1); // code that blocks, for which loops hand over
                    break;
                case 11:
                    await Elsewhere.CompleteAsync();
                    break;
                default:
                    break;
            }

            context.Response.ContentLength = Length;
            await context.Response.Body.WriteAsync(Pattern.Bytes(number, Length));
        }),
    });

    private static async Task AskAsync(RawClient client, int number)
    {
        await client.SendAsync($"GET /{number} HTTP/1.1\r\nHost: localhost\r\n\r\n");
        RawResponse response = await client.ReadResponseAsync();
        Assert.Equal((200, Length), (response.Status, response.Body.Length));
        Assert.True(Pattern.IsAt(number, response.Body));
    }
}
