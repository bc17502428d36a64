using Microsoft.AspNetCore.Http;
using NativeThreading.AspNetCore.Tests.Transport.Support;
using NativeThreading.Tests.Support;

namespace NativeThreading.AspNetCore.Tests.Transport;

/// <summary>A client that has sent many requests, and then an end.</summary>
public abstract class HalfCloseContract(Carrier carrier) : TransportContract(carrier)
{
    private const int Requests = 14_000;
    private const string Last = "GET /last HTTP/1.1\r\nHost: localhost\r\n\r\n";

    /// <summary>
    /// Kestrel takes the end for a departure as soon as it learns of it. On its own sockets that is at once, and what it has not answered is lost.
    /// Loops tell it when it has read all requests, so only the answer of the last one and its cancellation race.
    /// </summary>
    /// <param name="isReadAhead">Whether all of it, and the end, is there before the first answer.</param>
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task ClientsEndBehindManyRequests_EachIsAnswered(bool isReadAhead)
    {
        TaskCompletionSource begin = NewGate();
        TransportServer server = await ServeAsync(async context =>
        {
            context.Response.ContentLength = 0;
            if (context.Request.Path == "/first")
            {
                await begin.Task;
            }
            else if (context.Request.Path == "/last")
            {
                await Deadline.For(Cancelled(context.RequestAborted));
            }
        });
        using RawClient client = await server.ConnectAsync();
        if (!isReadAhead)
        {
            begin.SetResult();
        }

        Task<int> answers = isReadAhead ? Task.FromResult(0) : CountAsync(client);
        await client.SendAsync("GET /first HTTP/1.1\r\nHost: localhost\r\n\r\n" + string.Concat(Enumerable.Repeat(Get, Requests - 1)) + Last);
        client.EndSending();
        begin.TrySetResult();
        int answered = await answers + (isReadAhead ? await CountAsync(client) : 0);

        if (IsOnLoops)
        {
            Assert.Equal(Requests, answered);
        }
        else
        {
            TestContext.Current.TestOutputHelper?.WriteLine($"{answered} of {Requests} were answered");
        }
    }

    /// <summary>Whole answers, until the server's end.</summary>
    private static async Task<int> CountAsync(RawClient client)
    {
        int count = 0;
        try
        {
            while (await client.TryReadResponseAsync() is { } response)
            {
                Assert.Equal(200, response.Status);
                count++;
            }
        }
        catch (EndOfStreamException)
        {
            // Kestrel's sockets may end between two parts of an answer.
        }

        return count;
    }
}

public sealed class HalfCloseOnSockets() : HalfCloseContract(Carrier.Sockets);

public sealed class HalfCloseOnLoops() : HalfCloseContract(Carrier.Loops);

public sealed class HalfCloseOnLoopsAndPool() : HalfCloseContract(Carrier.LoopsAndPool);

public sealed class HalfCloseOnLoopsAlone() : HalfCloseContract(Carrier.LoopsAlone);

public sealed class HalfCloseOnAdaptive() : HalfCloseContract(Carrier.Adaptive);
