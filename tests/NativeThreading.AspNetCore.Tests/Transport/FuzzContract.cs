using System.Buffers.Binary;
using System.Net.Sockets;
using System.Text;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Server.Kestrel.Core;
using NativeThreading.AspNetCore.Tests.Transport.Support;

namespace NativeThreading.AspNetCore.Tests.Transport;

/// <summary>Random bytes and random splits. Kestrel may refuse them; nothing may hang or leak.</summary>
public abstract class FuzzContract(Carrier carrier) : TransportContract(carrier)
{
    private static readonly TimeSpan s_usual = TimeSpan.FromSeconds(0.3);

    [Fact]
    public async Task RequestsInRandomPieces_AreAnsweredAsIfTheyHadComeAtOnce()
    {
        TransportServer server = await ServeAsync(EchoOn(HttpProtocols.Http1));
        await Fuzz.RunAsync(s_usual, async random =>
        {
            (byte[] requests, List<string> answers) = Requests(random, random.Next(1, 8));
            using RawClient client = await server.ConnectAsync(from: random.NextAddress());
            Task sent = client.SendInPiecesAsync(requests, random);
            foreach (string answer in answers)
            {
                Assert.Equal(answer, (await client.ReadResponseAsync()).Text);
            }

            await sent;
            await LeaveAsync(client, random);
        });
        await AssertServesAsync(server);
    }

    [Fact]
    public async Task RandomBytes_AreRefused_AndOthersAreServed()
    {
        TransportServer server = await ServeAsync(EchoOn(HttpProtocols.Http1, logsErrors: true)); // of handlers that read what is none
        await Fuzz.RunAsync(s_usual, async random =>
        {
            byte[] bytes;
            if (random.Next(3) == 0)
            {
                bytes = new byte[random.Next(1, 5_000)];
                random.NextBytes(bytes);
            }
            else
            {
                bytes = Requests(random, 3).Bytes;
                for (int i = random.Next(1, 6); i > 0; i--)
                {
                    bytes[random.Next(bytes.Length)] = (byte)random.Next(256);
                }
            }

            await SendAndLeaveAsync(server, bytes, random);
        });
        await AssertServesAsync(server);
    }

    [Fact]
    public async Task RandomFramesOfHttp2_AreRefused_AndOthersAreServed()
    {
        TransportServer server = await ServeAsync(EchoOn(HttpProtocols.Http2));
        await Fuzz.RunAsync(s_usual, random =>
        {
            using var bytes = new MemoryStream();
            bytes.Write("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"u8);
            bytes.Write([0, 0, 0, 4, 0, 0, 0, 0, 0]); // its settings
            Span<byte> head = stackalloc byte[9];
            for (int i = random.Next(20); i > 0; i--)
            {
                byte[] payload = new byte[random.Next(100)];
                random.NextBytes(payload);
                BinaryPrimitives.WriteInt32BigEndian(head, payload.Length << 8);
                head[3] = (byte)random.Next(11); // the kind
                head[4] = (byte)random.Next(256);
                BinaryPrimitives.WriteInt32BigEndian(head[5..], random.Next(8));
                bytes.Write(head);
                bytes.Write(payload);
            }

            return SendAndLeaveAsync(server, bytes.ToArray(), random);
        });
        using HttpClient client = server.CreateClient(System.Net.HttpVersion.Version20);
        Assert.Equal("", await client.GetStringAsync(new Uri("/", UriKind.Relative)));
    }

    private static ServerPlan EchoOn(HttpProtocols protocols, bool logsErrors = false) => new()
    {
        Protocols = protocols,
        LogsErrors = logsErrors,
        App = app => app.Run(context => context.Request.Body.CopyToAsync(context.Response.Body)),
    };

    private static async Task SendAndLeaveAsync(TransportServer server, byte[] bytes, Random random)
    {
        using RawClient client = await server.ConnectAsync(from: random.NextAddress());
        try
        {
            await client.SendInPiecesAsync(bytes, random);
            await LeaveAsync(client, random);
        }
        catch (SocketException exception) when (exception.SocketErrorCode is SocketError.ConnectionReset or SocketError.Shutdown or SocketError.NotConnected)
        {
            // The server has seen enough before the client was done.
        }
    }

    private static async Task LeaveAsync(RawClient client, Random random)
    {
        switch (random.Next(3))
        {
            case 0:
                client.EndSending();
                await client.ReadEndAsync();
                break;
            case 1:
                client.Reset();
                break;
            default:
                break; // by its disposal
        }
    }

    private static (byte[] Bytes, List<string> Answers) Requests(Random random, int count)
    {
        var bytes = new StringBuilder();
        var answers = new List<string>();
        for (int i = 0; i < count; i++)
        {
            string body = new((char)('a' + random.Next(26)), random.Next(random.Next(2) == 0 ? 100 : 20_000));
            switch (random.Next(3))
            {
                case 0:
                    bytes.Append(Get);
                    answers.Add("");
                    break;
                case 1:
                    bytes.Append($"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: {body.Length}\r\n\r\n{body}");
                    answers.Add(body);
                    break;
                default:
                    bytes.Append("POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n");
                    for (int at = 0, length; at < body.Length; at += length)
                    {
                        length = Math.Min(random.Next(1, 5_000), body.Length - at);
                        bytes.Append($"{length:x}\r\n{body.AsSpan(at, length)}\r\n");
                    }

                    bytes.Append("0\r\n\r\n");
                    answers.Add(body);
                    break;
            }
        }

        return (Encoding.Latin1.GetBytes(bytes.ToString()), answers);
    }
}

public sealed class FuzzOnSockets() : FuzzContract(Carrier.Sockets);

public sealed class FuzzOnLoops() : FuzzContract(Carrier.Loops);

public sealed class FuzzOnLoopsAndPool() : FuzzContract(Carrier.LoopsAndPool);

public sealed class FuzzOnLoopsAlone() : FuzzContract(Carrier.LoopsAlone);

public sealed class FuzzOnAdaptive() : FuzzContract(Carrier.Adaptive);
